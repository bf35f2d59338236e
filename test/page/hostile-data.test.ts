import t from 'tap'
import { RateLimitedError, SourceError, UpstreamError } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { brokenAudio, playedTo, playerOf, visit, wide, widths } from './helper.ts'

const browser = await launch(t)

/** A source that answers an operation with whatever a test wants, contract or not. */
const answering = (path: string, answer: (reply: any) => unknown) => ({
  before: async (app: any) => app.addHook('onRequest', async (request: any, reply: any) => {
    if (request.url.startsWith(path) && request.method === 'GET') return answer(reply)
  })
})

t.test('markup in names is shown as text', t => visit(t, browser, {
  adapter: base => ({
    getDailyTracks: async () => (await base.getDailyTracks()).map(track => ({
      ...track,
      title: '<img src=x onerror="document.title=1"><b>bold</b>',
      album: { ...track.album, name: '</title><script>alert(1)</script>' }
    }))
  })
}, async ({ page, go, sees }) => {
  await go('/daily')
  await sees('<img src=x onerror="document.title=1"><b>bold</b>')
  t.equal(await page.locator('main b, main script').count(), 0)
}))

t.test('a title in the document of the page is shown as text', t => visit(t, browser, {
  page: { title: '</title><script>"&' }
}, async ({ page }) => {
  await page.locator('.brand', { hasText: '</title><script>"&' }).waitFor()
  t.equal(await page.title(), '</title><script>"&')
}))

t.test('text from right to left and names of ten thousand characters keep their place', t => visit(t, browser, {
  adapter: base => ({
    getDailyTracks: async () => (await base.getDailyTracks()).map((track, index) => ({
      ...track,
      title: index === 0 ? 'موسيقى الصباح' : 'x'.repeat(10_000),
      artists: track.artists.map(artist => ({ ...artist, name: 'y'.repeat(10_000) })),
      album: { ...track.album, name: 'z '.repeat(5000) }
    }))
  })
}, async ({ page, go }) => {
  await go('/daily')
  const title = page.locator('.row .title').first()
  await title.waitFor()
  t.equal(await title.evaluate('getComputedStyle(document.querySelector(".row .title")).direction'), 'rtl')
  for (const name of ['.artists', '.row-album']) {
    const [cell, link] = await Promise.all(
      [name, `${name} a`].map(part => page.locator(`.row ${part}`).first().boundingBox())
    )
    t.ok(link!.x + link!.width <= cell!.x + cell!.width, `${name} is cut with dots, and not by its cell`)
  }
  // Its letters are at the left, above its artist.
  t.ok(await title.evaluate(title => {
    const range = title.ownerDocument.createRange()
    range.selectNodeContents(title)
    return range.getBoundingClientRect().left - title.closest('.row-text')!.getBoundingClientRect().left < 2
  }))
  await title.click()
  await playedTo(page, 0.2)
  await playerOf(page).next.click()
  await go('/playing')
  await page.getByRole('heading', { level: 1, name: /^x+/ }).waitFor()
  t.ok(await page.evaluate(
    'document.documentElement.scrollWidth <= innerWidth && document.getElementById("main").scrollWidth <= innerWidth'
  ))
  t.ok(await page.evaluate('document.querySelector("h1").offsetHeight < 200'))
}))

t.test('a cover that does not load shows the initials of its name', t => visit(t, browser, {
  context: { stateless: true },
  adapter: (base, served) => ({
    getArtistAlbums: undefined!,
    getPlaylists: undefined!,
    getNewTracks: undefined!,
    getArtistDetail: undefined!,
    getTopArtists: async () => (await base.getTopArtists()).map((artist, index) =>
      ({
        ...artist, coverUrl: [`${served().origin}/covers-that-fail`, 'javascript:alert(1)', '', 'not a url'][index]!
      }))
  })
}, async ({ page, go }) => {
  await go('/artists')
  await page.locator('main .initial').nth(3).waitFor()
  t.strictSame(await page.locator('main .initial').allTextContents(), ['AQ', 'BQ', 'CQ', 'DQ'])
}))

t.test('a failure of the source is said once, and the rest of the view is there', t => {
  let fails = true
  return visit(t, browser, {
    adapter: base => ({
      getNewTracks: () => { if (fails) throw new UpstreamError('The catalogue is down'); return base.getNewTracks() },
      getToplist: () => { if (fails) throw new UpstreamError('The catalogue is down'); return base.getToplist() }
    })
  }, async ({ page, sees }) => {
    await sees('The catalogue is down')
    await page.getByRole('heading', { name: 'Recommended' }).waitFor()
    const failed = page.locator('.card-row', { has: page.getByRole('alert') })
    await failed.nth(1).waitFor()
    t.equal(await failed.count(), 2, 'each in its place')
    fails = false
    const again = page.getByRole('button', { name: 'Try again' })
    await again.first().click()
    await again.nth(1).waitFor({ state: 'detached' })
    await again.click()
    await page.locator('.tile', { hasText: 'Top lists' }).waitFor()
    t.equal(await page.getByRole('alert').count(), 0)
  })
})

for (const [name, answer, said] of [
  ['500', (reply: any) => reply.code(500).send({ code: 500, message: 'Internal server error', data: null }),
    /The source reported an error: Internal server error/],
  ['429', (reply: any) => reply.code(429).header('retry-after', '7').send({ code: 429, message: 'slow', data: null }),
    /Try again in 7 s/],
  ['nothing', (reply: any) => { reply.hijack(); reply.raw.socket.destroy() }, /Cannot connect to the source/],
  ['a page of HTML', (reply: any) => reply.type('text/html').send('<h1>Proxy</h1>'), /instead of the envelope/],
  ['a megabyte of JSON that is something else', (reply: any) =>
    reply.type('application/json').send(JSON.stringify({ code: 200, data: { x: 'y'.repeat(1_000_000) } })),
  /does not understand/],
  ['a list of what are no tracks', (reply: any) =>
    reply.type('application/json').send(JSON.stringify({ code: 200, data: [null, 1, 'x', [], { id: 1 }] })),
  /Nothing here yet/]
] as const) {
  t.test(`a source that answers ${name} is no end: the page says so, and goes on`, t =>
    visit(t, browser, answering('/v1/track/daily', answer), async ({ go, sees, row }) => {
      await go('/daily')
      await sees(said)
      await go('/new')
      await row('Morning Song 8').waitFor()
    }))
}

t.test('tracks that lack most of what the contract asks for are shown and played', t => visit(t, browser,
  answering('/v1/track/daily', reply => reply.type('application/json').send(JSON.stringify({
    code: 200,
    data: [{ id: 't5' }, { id: 't6', title: 7, artists: 'x', album: null, durationMs: 'long', qualities: [1] }]
  }))),
  async ({ page, go }) => {
    await go('/daily')
    await page.locator('.row').nth(1).locator('.title').click()
    await playerOf(page).titled('7').waitFor()
    await playedTo(page, 0.2)
  }))

t.test('tracks without an album lead to none', t => visit(t, browser, {
  adapter: base => ({
    getNewTracks: async () => (await base.getNewTracks()).map((track, index) =>
      index === 0 ? track : { ...track, album: { id: '', name: '', coverUrl: '' } })
  })
}, async ({ page }) => {
  const tile = page.locator('.tile', { hasText: 'New' })
  await tile.getByText('Morning Music').waitFor()
  t.equal(await tile.getByRole('link').count(), 1)
}))

t.test('a list that does not say how many tracks it has says how many are there', t => visit(t, browser, {
  adapter: base => ({
    getPlaylistDetail: async id => {
      const { trackCount: _count, ...playlist } = await base.getPlaylistDetail(id, -1)
      return playlist
    },
    getToplistTracks: async id => {
      const { trackCount: _count, ...toplist } = await base.getToplistTracks(id, 0, 8)
      return toplist
    }
  })
}, async ({ page, open }) => {
  await open('/playlist/p0')
  t.match(await page.locator('.facts').textContent(), '3 tracks')
  await open('/toplist/c0')
  t.match(await page.locator('.facts').textContent(), '8 tracks')
}))

for (const [name, error] of [
  [
    'a limit', new RateLimitedError('slow', { retryAfterSeconds: 1 })
  ], ['503', new SourceError(503, 'Busy', { retryAfterSeconds: 1 })]
] as const) {
  t.test(`${name} says nothing of the track: it is waited for, and played`, t => {
    let asked = 0
    return visit(t, browser, {
      adapter: base =>
        ({ getTrackUrl: (id, quality) => { if (asked++ === 0) throw error; return base.getTrackUrl(id, quality) } })
    }, async ({ page, go, sees }) => {
      await go('/daily')
      await page.locator('.row .title').first().click()
      await sees(error.status === 503 ? /The source reported an error: Busy/ : /Try again in 1 s/)
      t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
      await playedTo(page, 0.1)
      t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
      t.equal(asked >= 2, true)
    })
  })
}

t.test('a source that plays nothing stops the player after three tracks, the queue where it was', t => {
  let asked = 0
  return visit(t, browser, {
    adapter: () => ({ getTrackUrl: () => { asked++; throw new UpstreamError('gone') } })
  }, async ({ page, go, sees }) => {
    await go('/daily')
    await page.locator('.row .title').nth(1).click()
    await sees('Playback stopped: 3 tracks in a row failed. The source reported an error: gone')
    await playerOf(page).play.waitFor()
    t.equal(await playerOf(page).title.textContent(), 'Noon Song 5')
    t.equal(await page.locator('.notice').count(), 1)
    t.equal(asked, 3)
  })
})

for (const width of widths) {
  t.test(`audio whose head is right and whose body is not is a failure with a sentence, ${width} px`, t =>
    visit(t, browser, {
      browser: wide(width),
      adapter: (base, served) => ({
        getTrackUrl: async (id, quality) => {
          const answer = await base.getTrackUrl(id, quality)
          return id === 't4' ? { ...answer, url: `${served().origin}/broken.flac` } : answer
        }
      }),
      before: async app => app.get('/broken.flac', (_request, reply) => reply.type('audio/flac').send(brokenAudio))
    }, async ({ page, go, sees }) => {
      await go('/daily')
      await page.locator('.row .title').first().click()
      await sees(/“Morning Song 4” cannot be played: the audio does not load/)
      await playerOf(page).titled('Noon Song 5').waitFor()
      await playedTo(page, 0.1)
    }))

  t.test(`a view and a track that failed for want of a connection come by themselves when there is one, ${width} px`, t =>
    visit(t, browser, {
      browser: wide(width)
    }, async ({ page, go, sees, row }) => {
      await go('/daily')
      await row('Morning Song 4').waitFor()
      await page.route(/\/v1\//, route => route.abort())
      await page.locator('.row .title').first().click()
      await sees('Cannot connect to the source.')
      await go('/new')
      await page.getByRole('alert').waitFor()
      await page.unroute(/\/v1\//)
      await page.evaluate('dispatchEvent(new Event("online"))')
      await row('Morning Song 8').waitFor()
      await playerOf(page).titled('Morning Song 4').waitFor()
      await playedTo(page, 0.1)
    }))
}

t.test('an address with the name of a member of every object is the first view', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    for (const name of ['__proto__', 'constructor']) {
      await go(`/${name}`)
      await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
      await go('/daily')
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
    }
  }))
