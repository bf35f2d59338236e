import { createLibrary } from 'fastify-source-origin/library'
import t from 'tap'
import type { Page } from 'playwright-core'
import type { Track } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { library, nextFrames, playerOf, smallLibrary, visit, wide, widths } from './helper.ts'
import type { WholeAdapter } from '../reference-source.ts'

const browser = await launch(t)
const count = 10_000
const frames = 120
/** Pixels of a row. */
const rowAt = (width: number) => width > 720 ? 44 : 64
const height = rowAt(1280)

const track = (base: object, index: number): Track => ({ ...base as Track, id: `n${index}`, title: `Number ${index}` })

t.test('Home has the albums that the account goes on with, plays most and has not heard for long', t => {
  const sorted = { played: ['x1', 'x2'], plays: ['x2', 'x1'] } as const
  return visit(t, browser, {
    library: {
      ids: ({ sort, order, ...query }, call) => {
        if (sort !== 'played' && sort !== 'plays') return library.ids(query, call)
        return sort === 'played' && order === 'asc' ? ['x3', 'x2'] : sorted[sort]
      },
      items: (...all) => library.items(...all),
      facets: (...all) => library.facets(...all),
      revision: '1',
      changedAt: 1
    }
  }, async ({ page, open }) => {
    await open('/')
    const names = async (list: string, name = '.card-name') => (await page
      .getByRole('list', { name: list, exact: true }).locator(name).allTextContents())
    t.strictSame(await names('Continue listening', 'strong'), [
      'Radio', 'A album 1', 'A album 2', 'A album 3', 'Most played'
    ], 'tiles, and what is alone in its row')
    t.strictSame(await names('Most played'), ['A album 2', 'A album 1'])
    await page.getByRole('list', { name: 'Continue listening' }).getByRole('button', { name: 'Play A album 1' }).focus()
  })
})

t.test('each row of Home comes as soon as its list is there, in its place, and asks for no filters', t => {
  let come!: () => void
  const late = new Promise<void>(resolve => { come = resolve })
  const asked: URLSearchParams[] = []
  return visit(t, browser, {
    library,
    adapter: base => ({
      getDailyTracks: () => late.then(() => base.getDailyTracks()), getToplist: () => new Promise(() => {})
    }),
    before: async app => app.addHook('onRequest', async ({ url }) => {
      if (url.includes('/page/browse')) asked.push(new URLSearchParams(url.split('?')[1]))
    })
  }, async ({ page }) => {
    const row = page.locator('.card-row', { has: page.getByRole('heading', { name: 'New' }) })
    await row.locator('.card').first().waitFor()
    await page.locator('.card-row .waiting').first().waitFor()
    await page.locator('.today .waiting').waitFor()
    const places = await Promise.all([row, page.locator('.today')].map(place => place.boundingBox()))
    come()
    await page.locator('.today').getByRole('button', { name: 'Play Noon Song 5' }).waitFor()
    const now = await Promise.all([row, page.locator('.today')].map(place => place.boundingBox()))
    t.ok(places.every((place, at) => Math.abs(place!.y - now[at]!.y) < 12), 'nothing moves')
    t.equal(asked.length, 3)
    t.ok(asked.every(query => query.get('facets') === '0'))
    await page.locator('.today').getByRole('button', { name: 'Play Noon Song 5' }).click()
    await playerOf(page).titled('Noon Song 5').waitFor()
  })
})

t.test('Home has what was played most this month, and apart from it what was ever', t => {
  const times: (number | undefined)[] = []
  const heard = [{ id: 't0', plays: 3, last: Date.now() }, { id: 't1', plays: 5, last: Date.now() - 1000 }]
  return visit(t, browser, {
    adapter: () => ({
      getPlays: since => {
        times.push(since)
        return [...heard, { id: 't2', plays: 9, last: 1 }]
      }
    })
  }, async ({ page, open }) => {
    await open('/')
    const row = page.getByRole('list', { name: 'Most played this month', exact: true })
    t.strictSame(await row.locator('.card-name').allTextContents(), ['Noon Music', 'Morning Music'])
    t.ok(times.every(since => since! < Date.now() - 29 * 24 * 60 * 60 * 1000))
  })
})

t.test('albums are sorted as they were left, after a reload too, unless the address says otherwise', t =>
  visit(t, browser, { library: smallLibrary }, async ({ page, open }) => {
    const first = (name: string) => page.locator('.card-name').first().filter({ hasText: name }).waitFor()
    await open('/albums')
    await first('A album 0')
    await page.getByLabel('Sort by').selectOption({ label: 'Year' })
    await page.waitForURL(/sort=year&order=desc/)
    await first('B album 19')
    await page.getByRole('button', { name: 'Descending' }).click()
    await page.waitForURL(/order=asc/)
    await open('/')
    await page.reload()
    await open('/albums')
    await first('A album 0')
    t.equal(await page.getByLabel('Sort by').inputValue(), 'year')
    await open('/albums?sort=name&order=desc')
    await first('B album 19')
  }))

t.test('a list that becomes shorter while one is far down in it shows its end, and what is above', t =>
  visit(t, browser, { library }, async ({ page, open }) => {
    await open('/albums')
    for (const name of ['L album 119', 'Z album 259']) {
      await page.evaluate(`new Promise(resolve => {
        const main = document.getElementById('main')
        const look = () => {
          main.scrollTop = main.scrollHeight
          if (main.textContent.includes('${name}')) resolve()
          else requestAnimationFrame(look)
        }
        look()
      })`)
    }
    await page.getByLabel('Sort by').selectOption({ label: 'Year' })
    await page.waitForURL(/sort=year/)
    await page.locator('.card-name', { hasText: / album \d+/ }).first().waitFor()
    await page.evaluate('document.getElementById("main").scrollTop = 0')
    await page.locator('.card-name').first().filter({ hasText: 'B album 19' }).waitFor()
  }))

t.test('genres and composers have places beside albums and artists, and lead to their music', t => visit(t, browser, {
  library: {
    ids: (...all) => library.ids(...all),
    items: (...all) => library.items(...all),
    facets: async (kind, call) => ({
      ...await library.facets(kind, call),
      ...kind === 'artists' && { composers: [{ name: 'Ärne', tracks: 2 }, { name: 'Noon', tracks: 1 }] }
    }),
    revision: '1',
    changedAt: 1
  }
}, async ({ page, open, sees }) => {
  await open('/albums')
  await page.getByRole('link', { name: 'Genres and moods', exact: true }).click()
  await page.getByRole('link', { name: /^Folk.*1,234 tracks/ }).click()
  await page.waitForURL(/albums\?genre=Folk$/)
  await open('/artists')
  await page.getByRole('link', { name: 'Composers', exact: true }).click()
  await page.getByRole('searchbox', { name: 'Find', exact: true }).fill('arn')
  await page.waitForFunction(() => document.querySelectorAll('.names li').length === 1)
  await page.getByRole('searchbox', { name: 'Find', exact: true }).fill('')
  await page.getByRole('link', { name: /^Noon/ }).click()
  await sees('Results for “Noon”')
}))

t.test('two thousand tracks are scrolled to their end, with the rows that can be seen in the document', t => {
  const all = 2000
  const offsets: number[] = []
  return visit(t, browser, {
    adapter: base => ({
      searchTracks: async (_keyword, offset, limit) => {
        offsets.push(offset)
        const one = await base.getTrackDetail('t1')
        const items = Array.from({ length: Math.min(limit, all - offset) }, (_empty, index) =>
          track(one, offset + index))
        return { items, offset, limit, hasMore: offset + limit < all }
      }
    })
  }, async ({ page, go, row }) => {
    await go('/search/number')
    await row('Number 0').first().waitFor()
    let most = 0
    for (let loaded = 0; loaded < all;) {
      await page.evaluate('document.getElementById("main").scrollTop = 1e9')
      await page.waitForFunction(
        before => Number(document.querySelector('.row')!.getAttribute('aria-setsize')) > before,
        loaded
      )
      loaded = Number(await page.locator('.row').first().getAttribute('aria-setsize'))
      most = Math.max(most, await page.locator('.row').count())
    }
    await page.evaluate('document.getElementById("main").scrollTop = 1e9')
    await row('Number 1999').waitFor()
    t.ok(most < 60, `at most ${most} rows at a time`)
    t.equal(new Set(offsets).size, offsets.length, 'no page was asked for twice')
  })
})

t.test('a playlist is shown, played and mixed as a whole, and says where its source has a limit', async t => {
  const length = 1157
  const limited = (most: number) => ({
    adapter: (base: WholeAdapter) => ({
      getPlaylistDetail: async (_id: string, limit: number) => {
        const [one, playlist] = await Promise.all([base.getTrackDetail('t1'), base.getPlaylistDetail('p0', -1)])
        const tracks = Array.from({ length }, (_empty, index) => track(one, index))
        return { ...playlist, trackCount: length, tracks: tracks.slice(0, limit === -1 ? 1000 : Math.min(most, limit)) }
      },
      getTrackUrl: (_id: string, quality?: string) => base.getTrackUrl('t1', quality)
    })
  })
  await visit(t, browser, limited(length), async ({ page, open, row }) => {
    await open('/playlist/p0')
    await page.evaluate('document.getElementById("main").scrollTop = 1e9')
    await row('Number 1156').waitFor()
    await page.getByRole('button', { name: 'Shuffle' }).first().click()
    await playerOf(page).title.waitFor()
    await open('/queue')
    t.equal(await page.locator('.row').first().getAttribute('aria-setsize'), '1157')
  })
  await visit(t, browser, limited(1000), async ({ sees, open }) => {
    await open('/playlist/p0')
    await sees('The first 1,000 of 1,157 tracks')
  })
})

t.test('a toplist and an artist are mixed and played from their cards as a whole, page by page', t => {
  const [all, ofArtist] = [10_101, 257]
  const pageOf = async (base: WholeAdapter, offset: number, limit: number, all: number) => {
    const one = await base.getTrackDetail('t1')
    return Array.from({ length: Math.max(0, Math.min(limit, all - offset)) }, (_empty, index) =>
      track(one, offset + index))
  }
  return visit(t, browser, {
    adapter: base => ({
      userArtists: () => base.getTopArtists(),
      getToplistTracks: async (id, offset, limit) => (
        { ...await base.getToplistTracks(id, 0, 1), trackCount: all, tracks: await pageOf(base, offset, limit, all) }
      ),
      getArtistTracks: async (_id, _order, offset, limit) =>
        // Its last page comes again and again.
        ({ items: await pageOf(base, Math.min(offset, 200), limit, ofArtist), offset, limit, hasMore: true }),
      getTrackUrl: (_id, quality) => base.getTrackUrl('t1', quality)
    })
  }, async ({ page, open }) => {
    const queued = async (count: number) => {
      await playerOf(page).title.waitFor()
      await page.locator(`main .row[aria-setsize="${count}"]`).first().waitFor()
      await page.getByRole('button', { name: 'Clear' }).click()
    }
    for (const [view, count] of [['/toplist/c0', all], ['/artist/a0', ofArtist]] as const) {
      await open(view)
      await page.locator('.hero').getByRole('button', { name: 'Shuffle' }).click()
      await open('/queue')
      await queued(count)
    }
    for (const [view, name, count] of [
      ['/toplists', 'Most played', all], ['/artists', 'Ada Quartet', ofArtist]
    ] as const) {
      await open(view)
      await page.locator('main .card', { hasText: name }).getByRole('button', { name: `Play ${name}` }).click()
      await open('/queue')
      await queued(count)
    }
  })
})

/** A source whose playlists have ten thousand tracks. */
const longPlaylists = {
  adapter: (base: WholeAdapter) => ({
    getPlaylistDetail: async (id: string) => {
      const [one, playlist] = await Promise.all([base.getTrackDetail('t1'), base.getPlaylistDetail('p0', -1)])
      return {
        ...playlist, id, trackCount: count, tracks: Array.from({ length: count }, (_empty, index) => track(one, index))
      }
    },
    getTrackUrl: (_id: string, quality?: string) => base.getTrackUrl('t1', quality)
  })
}

t.test('scrolling makes no new rows, lays out once a frame and leaves the main thread room', t =>
  visit(t, browser, longPlaylists, async ({ page, open }) => {
    await open('/playlist/p0')
    const session = await page.context().newCDPSession(page)
    // Processor time of the main thread, which other programs on the machine do not lengthen.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const measure = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
    }
    const scroll = (frames: number): Promise<any> => page.evaluate(`new Promise(resolve => {
    const main = document.getElementById('main')
    const before = new Set(document.querySelectorAll('.row'))
    const began = performance.now()
    let count = 0
    const step = () => {
      main.scrollTop += 400
      if (++count < ${frames}) return requestAnimationFrame(step)
      const perSecond = count / (performance.now() - began) * 1000
      resolve({ perSecond, made: [...document.querySelectorAll('.row')].filter(row => !before.has(row)).length })
    }
    requestAnimationFrame(step)
  })`)
    await scroll(30)
    const before = await measure()
    const { perSecond, made } = await scroll(frames)
    const after = await measure()
    const per = (name: string) => (after[name]! - before[name]!) / frames
    t.equal(made, 0, 'all rows are elements that were there before')
    t.ok(per('LayoutCount') < 1.5, `${per('LayoutCount')} layouts a frame`)
    t.ok(
      per('TaskDuration') < 0.02, `${(per('TaskDuration') * 1000).toFixed(1)} ms of 20 a frame, at 50 frames a second`
    )
    t.comment(`${Math.round(perSecond)} frames per second`)
  }))

for (const moves of [true, false]) {
  t.test(`a row keeps the focus however far one scrolls, in a browser ${moves ? 'with' : 'without'} moveBefore`, t =>
    visit(t, browser, longPlaylists, async ({ page, go, row }) => {
      if (!moves) {
        await page.addInitScript('delete Element.prototype.moveBefore; delete Document.prototype.moveBefore; ' +
          'delete DocumentFragment.prototype.moveBefore')
        await page.reload()
      }
      await go('/playlist/p0')
      await row('Number 3').first().waitFor()
      const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
      for (const index of [3, 5000]) {
        await page.evaluate(`document.getElementById("main").scrollTop = ${index * height}`)
        await page.getByRole('button', { name: `Play Number ${index}`, exact: true }).focus()
        for (const to of [
          index + 4, index + 12, index + 40, index + 2000, index + 1990, index + 30, index, index + 8,
          Math.max(0, index - 40)
        ]) {
          await page.evaluate(`document.getElementById("main").scrollTop = ${to * height}`)
          await row(`Number ${to + 6}`).first().waitFor()
          t.equal(await focused(), `Play Number ${index}`, `${index}, scrolled to ${to}`)
        }
      }
    }))
}

t.test('a list shows the same rows and cards when a phone is turned', t => visit(t, browser, {
  browser: wide(390),
  library,
  adapter: base => ({
    getPlaylistDetail: async id => {
      const [list, one] = [await base.getPlaylistDetail(id, 1), await base.getTrackDetail('t1')]
      return { ...list, trackCount: 900, tracks: Array.from({ length: 900 }, (_empty, index) => track(one, index)) }
    }
  })
}, async ({ page, open }) => {
  /** The place of the first one that is wholly seen. */
  const first = (of: string) => page.evaluate(of => {
    const { top } = document.getElementById('main')!.getBoundingClientRect()
    const places = Array.from(document.querySelectorAll(`main ${of}`))
      .filter(item => item.getBoundingClientRect().top >= top)
      .map(item => Number(item.getAttribute('aria-posinset')))
    return Math.min(...places)
  }, of)
  for (const [address, of, scroll, near, sizes] of [
    ['/playlist/p0', '.row', 30_000, 1, [[390, 844], [844, 390]]],
    ['/albums', '.card', 5000, 6, [[768, 1024], [1024, 768]]]
  ] as const) {
    const turn = async ([width, height]: readonly [number, number]) => {
      await page.setViewportSize({ width, height })
      await nextFrames(page)
      await nextFrames(page)
    }
    await turn(sizes[0])
    await open(address)
    await page.locator(`main ${of}`).first().waitFor()
    await page.evaluate(scroll => { document.getElementById('main')!.scrollTop = scroll }, scroll)
    await page.waitForFunction(of =>
      Number(document.querySelector(`main ${of}`)!.getAttribute('aria-posinset')) > 9, of)
    await nextFrames(page)
    const before = await first(of)
    for (const size of [sizes[1], sizes[0]]) {
      await turn(size)
      const now = await first(of)
      t.ok(Math.abs(now - before) <= near, `${of} ${now} after ${before}, ${size[0]} px`)
    }
  }
}))

t.test('a playlist of ten thousand tracks plays from its middle', t =>
  visit(t, browser, longPlaylists, async ({ page, go, row }) => {
    await go('/playlist/p0')
    await row('Number 3').first().waitFor()
    await page.evaluate(`document.getElementById("main").scrollTop = ${5000 * height + 400}`)
    await page.getByRole('button', { name: 'Play Number 5000', exact: true }).click()
    await playerOf(page).titled('Number 5000').waitFor()
    await playerOf(page).next.click()
    await playerOf(page).titled('Number 5001').waitFor()
    await page.reload()
    await playerOf(page).titled('Number 5001').waitFor()
  }))

const scrolled = (page: Page) => page.evaluate('document.getElementById("main").scrollTop')
const isScrolled = (page: Page, to: number) =>
  page.waitForFunction(to => Math.abs(document.getElementById('main')!.scrollTop - to) < 2, to)
const scrollTo = (page: Page, to: number) => page.evaluate(`document.getElementById("main").scrollTop = ${to}`)

for (const width of widths) {
  t.test(`who comes back finds a list as it was left, its pages too, ${width} px`, t => {
    const offsets: number[] = []
    return visit(t, browser, {
      browser: wide(width),
      adapter: base => ({
        searchTracks: async (_keyword, offset, limit) => {
          offsets.push(offset)
          const one = await base.getTrackDetail('t1')
          return {
            items: Array.from({ length: limit }, (_empty, index) => track(one, offset + index)),
            offset,
            limit,
            hasMore: true
          }
        }
      })
    }, async ({ page, go, row }) => {
      await go('/search/number')
      await row('Number 0').first().waitFor()
      await scrollTo(page, 3000)
      await page.waitForFunction(() =>
        Number(document.querySelector('.row')!.getAttribute('aria-setsize')) > 50)
      // Far enough from the end that no further page is asked for.
      const far = 65 * rowAt(width) - 300
      await scrollTo(page, far)
      await row('Number 65').waitFor()
      const asked = offsets.length
      await row('Number 65').getByRole('link', { name: 'Bela Quartet' }).click()
      await page.getByRole('heading', { level: 1, name: 'Bela Quartet' }).waitFor()
      t.equal(await scrolled(page), 0, 'another view begins at its top')
      await page.goBack()
      await row('Number 65').waitFor()
      await isScrolled(page, far)
      t.equal(offsets.length, asked, 'nothing is asked for again')
      await page.goForward()
      await page.getByRole('heading', { level: 1, name: 'Bela Quartet' }).waitFor()
      await go('/search/number')
      await row('Number 0').first().waitFor()
      t.equal(await scrolled(page), 0, 'who comes anew begins at the top')
    })
  })

  t.test(`cards, tabs and orders are as they were left, ${width} px`, t => visit(t, browser, {
    browser: wide(width),
    adapter: base => ({
      userArtists: async () => {
        const [artist] = await base.getTopArtists()
        const number = (index: number) => String(index).padStart(3, '0')
        return Array.from({ length: 100 }, (_empty, index) =>
          ({ ...artist!, id: `${index}`, name: `Artist ${number(index)}` }))
      },
      userFavoriteTracks: undefined!,
      userAlbums: undefined!,
      getUserPlaylist: undefined!,
      getArtistAlbums: undefined!,
      getArtistDetail: id => base.getArtistDetail(id && 'a0', -1),
      getArtistTracks: async (_id, _order, offset, limit) => {
        const one = await base.getTrackDetail('t1')
        return {
          items: Array.from({ length: limit }, (_empty, index) => track(one, index)), offset, limit, hasMore: false
        }
      }
    })
  }, async ({ page, go, row }) => {
    await go('/artists')
    await page.getByText('Artist 000', { exact: true }).waitFor()
    await scrollTo(page, 1e9)
    await page.getByText('Artist 099', { exact: true }).waitFor()
    const at = await scrolled(page) as number
    await page.getByText('Artist 099', { exact: true }).click()
    await page.getByRole('link', { name: 'Tracks', exact: true }).click()
    await row('Number 0').first().waitFor()
    await scrollTo(page, 1200)
    await go('/playlist/p0')
    await page.getByLabel('Sort by').selectOption('Title')
    await page.getByRole('button', { name: 'Ascending' }).click()
    await page.getByRole('button', { name: 'Descending' }).waitFor()
    await go('/daily')
    await page.goBack()
    await page.getByRole('button', { name: 'Descending' }).waitFor()
    t.equal(await page.getByLabel('Sort by').inputValue(), 'title')
    await page.goBack()
    await isScrolled(page, 1200)
    await page.goBack()
    await page.goBack()
    await page.getByText('Artist 099', { exact: true }).waitFor()
    await isScrolled(page, at)
  }))
}

for (const width of widths) {
  t.test(`two thousand albums are scrolled and walked to their end, with those in the document that can be seen, ${width} px`, t => {
    const all = 2000
    return visit(t, browser, {
      browser: wide(width),
      library: createLibrary({
        artists: [],
        albums: Array.from({ length: all }, (_empty, index) => ({ id: `a${index}`, name: `Album ${index}`, coverUrl: '' })),
        tracks: []
      })
    }, async ({ page, go }) => {
      const card = (index: number) => page.getByText(`Album ${index}`, { exact: true })
      const length = async () => Number(await page.locator('main .card').first().getAttribute('aria-setsize'))
      await go('/albums')
      await card(0).waitFor()
      const boxes = await page.evaluate(`[...document.querySelectorAll('main .card')].map(card => {
        const { left, top, right, bottom } = card.getBoundingClientRect()
        return { left, top, right, bottom }
      })`) as { left: number, top: number, right: number, bottom: number }[]
      const isApart = (a: typeof boxes[number], b: typeof boxes[number]) =>
        a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top
      t.ok(boxes.every((a, at) => boxes.slice(at + 1).every(b => isApart(a, b))), 'no card covers another one')
      let most = 0
      for (let before = 0; before < all; before = await length()) {
        await scrollTo(page, 1e9)
        await page.waitForFunction(
          before => Number(document.querySelector('main .card')!.getAttribute('aria-setsize')) > before, before
        )
        most = Math.max(most, await page.evaluate('document.querySelectorAll("*").length') as number)
      }
      await scrollTo(page, 1e9)
      await card(all - 1).waitFor()
      t.ok(most < 2000, `${most} elements at most`)
      const focused = () => page.evaluate('document.activeElement.querySelector(".card-name").textContent')
      await page.locator('main .card > a').last().focus()
      for (const [key, index] of [
        ['Home', 0], ['ArrowRight', 1], ['ArrowLeft', 0], ['ArrowLeft', 0], ['ArrowUp', 0], ['End', all - 1],
        ['ArrowDown', all - 1], ['ArrowLeft', all - 2]
      ] as const) {
        await page.keyboard.press(key)
        t.equal(await focused(), `Album ${index}`, key)
        await card(index).waitFor()
      }
      await page.keyboard.press('Home')
      const columns = await page.evaluate(
        'getComputedStyle(document.querySelector("main .cards")).gridTemplateColumns.split(" ").length') as number
      for (let row = 1; row < 12; row++) {
        await page.keyboard.press('ArrowDown')
        t.equal(await focused(), `Album ${row * columns}`)
      }
      // The one with the focus stays in the document, however far it is.
      await scrollTo(page, 50_000)
      await page.waitForFunction(() => document.querySelectorAll('main .card').length > 12)
      t.equal(await focused(), `Album ${11 * columns}`)
      // Beside the queue there is room for fewer columns.
      await page.evaluate('document.querySelector("main").style.width = "330px"')
      await page.waitForFunction(before => getComputedStyle(
        document.querySelector('main .cards')!).gridTemplateColumns.split(' ').length < before, columns)
    })
  })
}
