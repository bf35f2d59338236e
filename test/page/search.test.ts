import type { Page } from 'playwright-core'
import t from 'tap'
import { launch } from '../browser.ts'
import { addSource, elsewhere, library, nextFrames, playerOf, visit, wide, widths } from './helper.ts'
import { requestEnd } from './request-end.ts'
import { deferred } from '../helper.ts'
import type { WholeAdapter } from '../reference-source.ts'

const browser = await launch(t)

t.test('what is typed is searched for without a key to end it', t => visit(t, browser, {}, async ({ page, row }) => {
  await page.getByRole('searchbox').pressSequentially('morning')
  await row('Morning Song 0').waitFor()
  await page.getByRole('list', { name: 'Best matches' }).getByText('Morning Music').waitFor()
  // A slow machine may pause between two letters, so that the first ones are searched for before.
  await page.waitForURL(/#\/search\/morning$/)
  t.ok(
    await page.getByRole('searchbox').evaluate('document.activeElement.type === "search"'), 'the field keeps the focus'
  )
}))

t.test('a space that is typed at the end stays in the field', t => visit(t, browser, {}, async ({ page, row }) => {
  const field = page.getByRole('searchbox')
  await field.fill('noon ')
  await row('Noon Song 1').first().waitFor()
  await field.pressSequentially('song 9')
  await row('Noon Song 9').waitFor()
  t.equal(await field.inputValue(), 'noon song 9')
}))

t.test('a search that is ended with a key is one step in the history', t =>
  visit(t, browser, {}, async ({ page, row }) => {
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    const steps = () => page.evaluate<number>('history.length')
    const before = await steps()
    await page.clock.install()
    await page.getByRole('searchbox').fill('noon')
    await page.keyboard.press('Enter')
    await row('Noon Song 1').first().waitFor()
    // Whatever the field still waits for has come.
    await page.clock.runFor(5000)
    t.equal(await steps(), before + 1)
  }))

t.test('what is typed right after one has gone to another view is searched for, and stays in the field', t =>
  visit(t, browser, {}, async ({ page, row }) => {
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    await page.evaluate(`new Promise(resolve => {
      addEventListener('hashchange', () => {
        const field = document.getElementById('search')
        field.value = 'noon'
        field.dispatchEvent(new Event('input', { bubbles: true }))
        // The same address is told of again, as when links are clicked faster than the browser tells of them.
        setTimeout(() => { dispatchEvent(new Event('hashchange')); resolve() })
      }, { once: true })
      location.hash = '/daily'
    })`)
    await page.getByRole('heading', { level: 1, name: /noon/ }).waitFor()
    await row('Noon Song 5').waitFor()
    t.equal(await page.getByRole('searchbox').inputValue(), 'noon')
  }))

/** Keeps in `late` what the field does when nothing more is typed. */
async function holdTyped (page: Page): Promise<void> {
  await page.addInitScript(`
    const { setTimeout } = globalThis
    globalThis.late = []
    globalThis.setTimeout = (run, ms, ...more) => ms === 200 ? late.push(run) : setTimeout(run, ms, ...more)
  `)
  await page.reload()
}

for (const [what, search] of Object.entries<(page: Page) => Promise<unknown>>({
  'was typed': page => page.getByRole('searchbox').fill('noon'),
  'came with the address': page => page.evaluate('location.hash = "/search/noon"')
})) {
  t.test(`who goes elsewhere before what ${what} is searched for stays there`, t =>
    visit(t, browser, {}, async ({ page }) => {
      await holdTyped(page)
      await search(page)
      await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[type=search]')!.value === 'noon')
      // The time of the field is up at the moment at which the address changes.
      await page.evaluate(`new Promise(resolve => {
      addEventListener('hashchange', () => { for (const run of late) run(); resolve() }, { once: true })
      location.hash = '/daily'
    })`)
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
      t.match(page.url(), /#\/daily$/)
    }))
}

t.test('what was typed is searched for though another kind was chosen right after', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    await holdTyped(page)
    await go('/search/noon')
    await page.getByRole('searchbox').fill('night')
    await page.locator('.segments').getByRole('link', { name: 'Albums' }).click()
    await page.locator('.segments [aria-current]', { hasText: 'Albums' }).waitFor()
    await page.evaluate('for (const run of late) run()')
    await page.getByRole('heading', { level: 1, name: 'Results for “night”' }).waitFor()
    await page.locator('.segments [aria-current]', { hasText: 'Albums' }).waitFor()
  }))

t.test('what was found stays until something else is found', t => {
  const { promise: late, resolve: answer } = deferred<void>()
  return visit(t, browser, {
    adapter: base => ({
      searchTracks: async (keyword, offset, limit) => {
        if (keyword !== 'morning') await late
        return base.searchTracks(keyword, offset, limit)
      }
    })
  }, async ({ page, go, row }) => {
    await go('/search/morning')
    await row('Morning Song 0').waitFor()
    for (const keyword of ['noon', 'night']) {
      await page.getByRole('searchbox').fill(keyword)
      await page.getByRole('heading', { level: 1, name: keyword }).waitFor()
      t.equal(await row('Morning Song 0').count(), 1, keyword)
    }
    answer()
    await row('Night Song 3').waitFor()
    t.equal(await row('Morning Song 0').count(), 0)
  })
})

t.test('typing on goes on with the kind that was chosen', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/search/noon?in=albums')
  await page.locator('.cards').getByText('Noon Music').waitFor()
  await page.getByRole('searchbox').fill('night')
  await page.locator('.cards').getByText('Night Music').waitFor()
  t.match(page.url(), '#/search/night?in=albums')
}))

t.test('every kind that the source declares can be searched', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/search/noon')
  for (const [kind, found] of [['Albums', 'Noon Music'], ['Playlists', 'Noon Hours 1']] as const) {
    await page.getByRole('navigation', { name: 'Type' }).getByRole('link', { name: kind }).click()
    await page.locator('.cards').getByText(found).waitFor()
  }
  await go('/search/cleo?in=artists')
  await page.locator('.cards').getByText('Cleo Quartet').waitFor()
}))

t.test('an answer to what was typed before never replaces that to what was typed last', t => {
  const { promise: late, resolve: answer } = deferred<void>()
  return visit(t, browser, {
    adapter: base => ({
      searchTracks: async (keyword, offset, limit) => {
        if (keyword === 'noon') await late
        return base.searchTracks(keyword, offset, limit)
      },
      searchSuggest: async keyword => {
        if (keyword === 'noon') await late
        return base.searchSuggest(keyword)
      }
    })
  }, async ({ page, row }) => {
    const urls = ['tracks', 'suggest'].map(kind => new RegExp(`search/${kind}\\?keyword=noon`))
    const ended = urls.map(url => requestEnd(page, url))
    const asked = urls.map(url => page.waitForRequest(url))
    await page.getByRole('searchbox').fill('noon')
    await Promise.all(asked)
    await page.getByRole('searchbox').fill('night')
    const best = page.getByRole('list', { name: 'Best matches' })
    await row('Night Song 3').waitFor()
    await best.getByText('Night Music').waitFor()
    answer()
    await Promise.all(ended)
    // Whatever the page does with an answer, it has done two frames later.
    await nextFrames(page)
    t.equal(await row('Noon Song').count(), 0)
    t.equal(await best.getByText('Noon').count(), 0)
    t.ok(await row('Night Song').count() > 0)
    t.ok(await best.getByText('Night').count() > 0)
  })
})

/** A source of 150 numbered tracks, whose pages leave out every tenth. */
const numbered = {
  adapter: (base: WholeAdapter) => ({
    searchTracks: async (_keyword: string, offset: number, limit: number) => {
      const one = await base.getTrackDetail('t1')
      const items = Array.from({ length: 150 }, (_empty, index) =>
        ({ ...one, id: `n${index}`, title: `Number ${index}` }))
      return {
        items: items.slice(offset, offset + limit).filter((_item, index) => index % 10 > 0),
        offset,
        limit,
        hasMore: offset + limit < 150
      }
    },
    getTrackUrl: (_id: string, quality?: string) => base.getTrackUrl('t1', quality)
  })
}

/** Titles of the whole list, which is scrolled through. */
async function titlesOf (page: Page, count: number): Promise<string[]> {
  const titles = new Set<string>()
  for (let top = 0; titles.size < count && top < 20_000; top += 300) {
    await page.evaluate(
      `document.getElementById("main").scrollTop = ${top}; new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))`
    )
    for (const title of await page.locator('.row .title').allTextContents()) titles.add(title)
  }
  return [...titles]
}

const all = Array.from({ length: 150 }, (_empty, index) => index).filter(index => index % 10 > 0).map(index =>
  `Number ${index}`)
const isListed = (page: Page, count: number) => page.locator(`.row[aria-setsize="${count}"]`).first().waitFor()

t.test('pages with fewer items than their limit give each item once', t =>
  visit(t, browser, numbered, async ({ page, go, row }) => {
    await go('/search/number')
    await row('Number 1').first().waitFor()
    for (const count of [45, 90, 135]) {
      await isListed(page, count)
      await page.evaluate('document.getElementById("main").scrollTop = 1e9')
    }
    await row('Number 149').waitFor()
    t.equal(await page.locator('.row').first().getAttribute('aria-setsize'), '135')
    t.strictSame(await titlesOf(page, 135), all)
  }))

for (const scrolled of [false, true]) {
  t.test(`the queue goes on with the pages of a list that was left${scrolled ? ', and leaves out none that was scrolled to' : ''}`, t =>
    visit(t, browser, numbered, async ({ page, go, row }) => {
      await go('/search/number')
      await row('Number 1').first().locator('.row-cover').click()
      if (scrolled) {
        await page.evaluate('document.getElementById("main").scrollTop = 1e9')
        await isListed(page, 90)
      }
      await go('/queue')
      await page.evaluate('document.getElementById("main").scrollTop = 1e9')
      await row('Number 49').locator('.row-cover').click()
      await isListed(page, 90)
      t.strictSame(await titlesOf(page, 90), all.slice(0, 90))
    }))
}

t.test('a search without a result says so', t => visit(t, browser, {}, async ({ sees, go }) => {
  await go('/search/zzz')
  await sees('No results for “zzz”.')
}))

t.test('only what the source declares is shown', t => visit(t, browser, {
  context: { stateless: true },
  adapter: () => ({
    getRoamTracks: undefined,
    getDailyTracks: undefined,
    searchAlbums: undefined,
    getToplist: undefined,
    getTopArtists: undefined,
    getNewTracks: undefined,
    getPlaylists: undefined
  }) as never
}, async ({ page, row, go }) => {
  await go('/search/noon')
  await row('Noon Song 13').waitFor()
  t.strictSame(await page.getByRole('navigation', { name: 'Type' }).getByRole('link').allTextContents(), [
    'Tracks', 'Artists', 'Playlists'
  ])
  t.strictSame(await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link').allTextContents(),
    ['Test source', 'Home', 'Search', 'Queue', 'Recently played'])
  t.equal(await page.getByRole('button', { name: 'Favourite' }).count(), 0, 'a stateless source shows no hearts')
}))

t.test('details lead from a track to its album, its artist and back', t =>
  visit(t, browser, {}, async ({ page, row, go }) => {
    await go('/daily')
    await row('Morning Song 4').getByRole('link', { name: 'Morning Music' }).click()
    await page.getByRole('heading', { level: 1, name: 'Morning Music' }).waitFor()
    await page.locator('.hero').getByRole('link', { name: 'Ada Quartet' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ada Quartet' }).waitFor()
    await page.locator('main').getByRole('link', { name: 'Albums' }).click()
    await page.locator('.cards').getByText('Morning Music').waitFor()
    await page.goBack()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Morning Music' }).waitFor()
  }))

t.test('playlists are browsed by category, and toplists by group', t =>
  visit(t, browser, {}, async ({ page, row, go }) => {
    await go('/playlists')
    await page.getByRole('link', { name: 'For the day' }).click()
    await page.locator('.cards').getByText('Noon Hours 1').waitFor()
    await go('/toplists')
    await page.getByRole('heading', { name: 'Charts' }).waitFor()
    await page.locator('.cards .card-name').getByText('Most played').click()
    await row('Night Song 7').waitFor()
  }))

t.test('a toplist that fails shows nothing of the one before', t =>
  visit(t, browser, {}, async ({ page, sees, open, go }) => {
    await open('/toplist/c0')
    await page.getByRole('heading', { level: 1, name: 'Most played' }).waitFor()
    await go('/toplist/c1')
    await sees('There is no c1')
    t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Top list')
    t.equal(await page.locator('.hero').count(), 0)
  }))

t.test('an origin of an older version is understood', t => visit(t, browser, {
  before: async app => app.addHook('onRequest', async (request, reply) => {
    if (request.url !== '/v1/status') return
    return reply.type('application/json').send(JSON.stringify({
      code: 200,
      data: { type: 'wow', version: '0.1.0', stateless: true, capabilities: ['search', 'trackRoam', 'streaming'] }
    }))
  })
}, async ({ page, row, go }) => {
  await page.getByRole('button', { name: /^Radio/ }).waitFor()
  await go('/search/noon')
  await row('Noon Song 13').waitFor()
  t.equal(await page.getByRole('navigation', { name: 'Type' }).getByRole('link').count(), 4)
}))

for (const width of widths) {
  t.test(`all albums and artists are listed from A to Z, filtered and sorted, ${width} px`, t => visit(t, browser, {
    browser: wide(width), library
  }, async ({ page, go }) => {
    const cards = page.locator('main .card')
    const first = (name: string) => page.locator('main .card').first().filter({ hasText: name }).waitFor()
    await go('/albums')
    await first('A album 0')
    await page.evaluate('document.getElementById("main").scrollTop = 1e9')
    await page.waitForFunction(() => Number(
      [...document.querySelectorAll('main .card')].at(-1)!.getAttribute('aria-posinset')) > 50)
    await page.getByRole('link', { name: 'M', exact: true }).click()
    await first('M album 120')
    t.equal(await cards.count(), 10)
    t.equal(await page.locator('.total').textContent(), '10')
    t.strictSame(await page.getByLabel(/^Genre/).locator('option').allTextContents(), ['All', 'Folk (1.2K)', 'Jazz (1)'])
    await page.getByLabel(/^Genre/).selectOption('Jazz')
    await page.waitForFunction(() => document.querySelectorAll('main .card').length === 5)
    t.equal(await page.getByLabel(/^Year/).locator('option').count(), 1 + 5, 'the years of what is filtered')
    await page.goBack()
    await first('A album 0')
    await page.getByLabel(/^Year/).selectOption('1993')
    await first('A album 3')
    t.equal(await cards.first().getAttribute('aria-setsize'), '13')
    t.match(await cards.first().textContent(), 'Artist 3 · 1993')
    await page.getByLabel(/^Year/).selectOption('All')
    await page.getByLabel('Sort by').selectOption('Year')
    await first('B album 19')
    await page.getByRole('button', { name: 'Descending' }).click()
    await first('A album 0')
    await page.getByRole('link', { name: 'Z', exact: true }).click()
    await first('Z album 250')
    await page.reload()
    await first('Z album 250')
    await page.getByLabel('Sort by').selectOption('Most played')
    await page.getByRole('button', { name: 'Descending' }).waitFor()
    await page.getByLabel('Sort by').selectOption('Random')
    await page.getByRole('button', { name: /scending$/ }).waitFor({ state: 'detached' })
    await go('/artists')
    await first('Artist 0')
    t.ok(await page.evaluate('document.getElementById("main").scrollWidth <= innerWidth'))
  }))
}

t.test('the total is that of the list that is shown, for who comes back or takes a filter away', t =>
  visit(t, browser, { library }, async ({ page, go }) => {
    const total = (count: string) => page.locator('.total', { hasText: count }).waitFor()
    const isListed = (name: string) => page.locator('.card-name', { hasText: name }).first().waitFor()
    await go('/albums')
    await total('260')
    await page.locator('.letters').getByRole('link', { name: 'B', exact: true }).click()
    await isListed('B album 10')
    await page.goBack()
    await isListed('A album 0')
    t.equal(await page.locator('.total').textContent(), '260')
    await page.getByLabel('Genre').selectOption('Jazz')
    await total('130')
    await page.getByLabel('Genre').selectOption('All')
    await isListed('A album 1')
    t.equal(await page.locator('.total').textContent(), '260')
  }))

t.test('a source elsewhere has its top artists and no albums', async t => {
  const other = await elsewhere(t)
  return visit(t, browser, {}, async ({ page, go }) => {
    await addSource({ page, go }, other)
    await go('/artists')
    await page.getByText('Ada Quartet').waitFor()
    t.equal(await page.getByRole('link', { name: 'Albums', exact: true }).count(), 0)
    await go('/albums')
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  })
})

t.test('the keys go from the search field to what was found, and through grids in rows and columns', t =>
  visit(t, browser, { library }, async ({ page, go, row }) => {
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.getByRole('searchbox').fill('noon song')
    await row('Noon Song 5').waitFor()
    await page.locator('.suggestions').waitFor()
    await page.keyboard.press('ArrowDown')
    t.equal(await page.evaluate('document.activeElement.closest(".suggestions") !== null'), true)
    await page.keyboard.press('ArrowDown')
    t.equal(await focused(), 'Noon Song 1')
    await page.keyboard.press('Enter')
    await playerOf(page).titled('Noon Song 1').waitFor()
    await go('/albums')
    await page.getByRole('link', { name: 'All', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    t.equal(await focused(), 'A')
    const link = (index: number) => page.locator('.card > a').nth(index)
    const columns = await page.evaluate(
      'getComputedStyle(document.querySelector(".cards")).gridTemplateColumns.split(" ").length') as number
    await link(0).focus()
    for (const [key, index] of [
      ['ArrowRight', 1], ['ArrowDown', 1 + columns], ['ArrowLeft', columns], ['ArrowUp', 0], ['ArrowUp', 0]
    ] as const) {
      await page.keyboard.press(key)
      t.equal(await focused(), await link(index).textContent(), key)
    }
    t.equal(await page.locator('.letters a[tabindex="-1"]').count(), 26, 'letters are one stop')
  }))

t.test('a source of several that does not answer is named', t => visit(t, browser, {}, async ({ page }) => {
  await page.route('**/v1/search/tracks*', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'source-partial': 'navidrome' } })
  })
  await page.getByRole('searchbox').fill('morning')
  await page.getByText('navidrome is not responding').waitFor()
}))
