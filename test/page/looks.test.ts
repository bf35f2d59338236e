import { extras } from 'fastify-source-origin'
import t from 'tap'
import { dictionary } from '../../lib/page/browser/texts/dictionary.ts'
import { laterDictionary } from '../../lib/page/browser/texts/later-dictionary.ts'
import { launch } from '../browser.ts'
import { addSource, elsewhere, playedTo, playerOf, visit, wide, widths } from './helper.ts'
import type { WholeAdapter } from '../reference-source.ts'

const browser = await launch(t)
const album = (id: string, name: string, trackCount: number, artistName = 'Ada Quartet') =>
  ({ id, name, coverUrl: '', trackCount, artistName })

t.test('an artist page has albums, singles, what it appears on and similar artists', t => visit(t, browser, {
  adapter: base => ({
    getArtistAlbums: (_id, offset, limit) => ({
      items: [album('x0', 'Long', 9), album('x1', 'Short', 1), album('x2', 'Of all', 12, 'Several')],
      offset,
      limit,
      hasMore: false
    }),
    getArtistDetail: async (id, limit) => ({ ...await base.getArtistDetail(id, limit), description: 'Plays at dawn.' }),
    getSimilarTracks: async () => {
      const track = await base.getTrackDetail('t5')
      const other = { ...track, artists: [{ id: 'other', name: 'The Others', coverUrl: '' }] }
      return [other, { ...other, id: 't6' }]
    }
  })
}, async ({ page, open, sees }) => {
  await open('/artist/a0')
  await sees('Plays at dawn.')
  const namesOf = (label: string) =>
    page.getByRole('list', { name: label, exact: true }).locator('.card-name').allTextContents()
  await page.getByRole('heading', { name: 'Similar artists' }).waitFor()
  await page.getByRole('heading', { name: 'Appears on' }).waitFor()
  t.strictSame(await namesOf('Albums'), ['Long'])
  t.strictSame(await namesOf('Singles and EPs'), ['Short'])
  t.ok((await namesOf('Appears on')).includes('Of all'))
  t.strictSame(await namesOf('Similar artists'), ['The Others'])
}))

t.test('the queue and the lyrics stand beside a view of a desktop, and stay there', t => visit(t, browser, {
  adapter: () => ({ getTrackLyrics: () => ({ lyrics: '[00:00.00]Sung first\n[00:30.00]Sung last' }) })
}, async ({ page, open }) => {
  await open('/daily')
  await page.getByRole('button', { name: 'Play Morning Song 4' }).click()
  await playedTo(page, 0.1)
  const panel = (name: string) => page.getByRole('complementary', { name })
  await playerOf(page).button('Queue').click()
  await panel('Queue').getByRole('button', { name: 'Play Evening Song 6' }).click()
  await playerOf(page).titled('Evening Song 6').waitFor()
  await playerOf(page).button('Lyrics').click()
  await panel('Lyrics').getByText('Sung first').waitFor()
  await page.reload()
  await panel('Lyrics').getByText('Sung first').waitFor()
  await panel('Lyrics').getByRole('button', { name: 'Close' }).click()
  t.equal(await page.getByRole('complementary').count(), 0)
}))

t.test('logo and name keep their height however many playlists are below them', t => visit(t, browser, {
  browser: { viewport: { width: 1366, height: 768 } },
  adapter: base => ({
    getUserPlaylist: async () => {
      const { items: [one] } = await base.getPlaylists(0, 1)
      return Array.from({ length: 30 }, (_empty, index) => ({ ...one!, id: `m${index}`, name: `Mine ${index}` }))
    }
  })
}, async ({ page, open }) => {
  await open('/')
  await page.locator('.sidebar .own li').last().waitFor()
  for (const height of [768, 600]) {
    await page.setViewportSize({ width: 1366, height })
    t.ok((await page.locator('.brand').boundingBox())!.height >= 36, `${height} px`)
  }
}))

/** A playlist whose tracks have other covers each. */
const covered = (base: WholeAdapter) => ({
  getPlaylistDetail: async (id: string, limit: number, _sort?: string, order?: string) => {
    const { tracks, ...playlist } = await base.getPlaylistDetail(id, limit)
    const one = tracks[0]!
    const other = (index: number) =>
      ({ ...one, id: `c${index}`, title: `Song ${index}`, album: { ...one.album, coverUrl: `${one.album.coverUrl}?${index}` } })
    const all = [0, 1, 2, 3, 4].map(other)
    return { ...playlist, trackCount: 5, tracks: order === 'desc' ? all.reverse() : all }
  }
})

t.test('a playlist is drawn with four of its covers, a chart and a genre with a word', t => visit(t, browser, {
  adapter: base => ({
    ...covered(base),
    getPlaylists: async (offset, limit) => {
      const { items: [one], ...page } = await base.getPlaylists(offset, limit)
      return { ...page, items: [one!, { ...one!, id: 'g', name: 'Jazz', tags: ['Jazz'] }] }
    }
  })
}, async ({ page, open }) => {
  await open('/playlist/p0')
  const pictures = page.locator('.hero .mosaic img')
  t.equal(await pictures.count(), 4)
  const srcs = () => pictures.evaluateAll(images => images.map(image => (image as HTMLImageElement).src))
  const before = await srcs()
  const first = page.locator('.row .title').first()
  const title = await first.textContent()
  await page.getByLabel(dictionary.sortBy[0]).selectOption('title')
  await page.getByRole('button', { name: dictionary.ascending[0] }).click()
  await page.waitForFunction(title => document.querySelector('.row .title')?.textContent !== title, title)
  t.strictSame(await srcs(), before, 'in another order')
  await open('/playlists')
  const list = page.getByRole('list', { name: 'Genres and moods', exact: true })
  t.strictSame(await list.locator('.drawn').allTextContents(), ['Jazz'])
  await open('/toplist/c0')
  t.equal(await page.locator('.hero .drawn').textContent(), 'Most played')
}))

t.test('a playlist is added beside Playlists', t => visit(t, browser, {}, async ({ page }) => {
  await page.locator('.sidebar').getByRole('button', { name: dictionary.addPlaylist[0] }).click()
  await page.getByLabel(dictionary.name[0]).fill('Of the bar')
  await page.keyboard.press('Enter')
  await page.locator('.sidebar').getByRole('link', { name: 'Of the bar' }).waitFor()
}))

t.test('Settings change the theme, and the browser remembers it', t => visit(t, browser, {
  browser: { colorScheme: 'light' }
}, async ({ page, open }) => {
  const isDark = () => page.waitForFunction(() =>
    getComputedStyle(document.body).backgroundColor === 'rgb(21, 18, 15)')
  await page.locator('.avatar').click()
  await page.getByRole('button', { name: dictionary.settings[0] }).click()
  await page.getByRole('heading', { level: 1, name: dictionary.settings[0] }).waitFor()
  await page.getByLabel(laterDictionary.theme[0]).selectOption('dark')
  await isDark()
  await page.reload()
  await isDark()
  await open('/sources')
  t.equal(await page.getByLabel(laterDictionary.theme[0]).inputValue(), 'dark')
}))

t.test('a genre is called one', t => visit(t, browser, {
  adapter: base => ({
    getPlaylistDetail: async (id, limit) =>
      ({ ...await base.getPlaylistDetail(id, limit), name: 'Jazz', tags: ['Jazz'] })
  })
}, async ({ page, open }) => {
  await open('/playlist/p0')
  t.equal(await page.locator('.hero .kind').textContent(), 'Genre')
}))

t.test('until they are there, cards and rows have places', t => {
  const never = () => new Promise<never>(() => {})
  return visit(t, browser, {
    adapter: () => ({ getPlaylists: never, userAlbums: never, getPlaylistDetail: never, searchTracks: never }),
    library: { ids: never, items: never, facets: never, revision: '1', changedAt: 1 }
  }, async ({ page, go }) => {
    for (const [address, places] of [
      ['/albums', 'covers'], ['/playlists', 'covers'], ['/library/albums', 'covers'], ['/playlist/p0', 'rows'],
      ['/search/song', 'rows']
    ] as const) {
      await go(address)
      await page.locator(`.view-${address.split('/')[1]} .waiting.${places}`).waitFor()
    }
  })
})

for (const width of widths) {
  t.test(`what comes of an album, an artist, a playlist or a chart is where it had its place, ${width} px`, t => {
    let come: () => void
    let coming: Promise<void>
    const afterwards = <A extends unknown[], R>(call: (...args: A) => R | Promise<R>) =>
      (...args: A): Promise<R> => coming.then(() => call(...args))
    return visit(t, browser, {
      browser: wide(width),
      adapter: base => ({
        getAlbumDetail: afterwards(base.getAlbumDetail),
        getArtistDetail: afterwards(base.getArtistDetail),
        getPlaylistDetail: afterwards(base.getPlaylistDetail),
        getToplistTracks: afterwards(base.getToplistTracks)
      })
    }, async ({ page, go }) => {
      for (const address of ['/album/b0', '/artist/a0', '/playlist/p0', '/toplist/c0']) {
        coming = new Promise(resolve => { come = resolve })
        await go(address)
        await page.locator('main .waiting').waitFor()
        const before = await page.locator('.hero > .cover').boundingBox()
        come!()
        await page.locator('.hero .kind').waitFor()
        t.strictSame(await page.locator('.hero > .cover').boundingBox(), before, address)
      }
    })
  })

  t.test(`what was found stays where it is when suggestions come, ${width} px`, t => {
    let come: () => void
    const coming = new Promise<void>(resolve => { come = resolve })
    return visit(t, browser, {
      browser: wide(width),
      adapter: base => ({ searchSuggest: keyword => coming.then(() => base.searchSuggest(keyword)) })
    }, async ({ page, go, row }) => {
      await go('/search/noon')
      const top = async () => (await row('Noon Song 1').first().boundingBox())!.y
      const before = await top()
      come()
      await page.locator('.suggestions li').first().waitFor()
      t.equal(await top(), before)
    })
  })
}

t.test('nothing heard has the picture of what was heard, nothing found that of a search', t => visit(t, browser, {
  adapter: () => ({ getPlays: () => [] })
}, async ({ page, open }) => {
  const pictureOf = (place: string) => page.locator(`${place} path`).getAttribute('d')
  for (const [address, view] of [['/history', 'history'], ['/search/nothing', 'search']] as const) {
    await open(address)
    t.equal(await pictureOf('main .empty'), await pictureOf(`.sidebar a[href="#/${view}"]`), view)
  }
}))

t.test('a long name of an album takes the lines that it fills', t => visit(t, browser, {
  adapter: base => ({
    getDailyTracks: async () => (await base.getDailyTracks()).map(track =>
      ({ ...track, album: { ...track.album, name: 'A long name '.repeat(20) } }))
  })
}, async ({ page, open }) => {
  await open('/daily')
  await page.getByRole('button', { name: 'Play Morning Song 4' }).click()
  await open('/playing')
  const heights = await page.locator('.now-album').evaluate(link =>
    [link.getBoundingClientRect(), link.parentElement!.getBoundingClientRect()].map(({ height }) => height))
  t.equal(heights[1], heights[0])
}))

t.test('genres stand apart from playlists, at home and where all are', t => visit(t, browser, {
  adapter: base => {
    const all = async () => {
      const { items: [one] } = await base.getPlaylists(0, 1)
      const genre = (name: string) => ({ ...one!, id: name, name, tags: [name] })
      return [...Array.from({ length: 60 }, (_, index) => genre(`Genre ${index}`)), one!]
    }
    const list = async (offset: number, limit: number) =>
      ({ items: (await all()).slice(offset, offset + limit), offset, limit, hasMore: offset + limit < 61 })
    return { getRecommendedPlaylist: async () => ({ ...await list(59, 2), hasMore: false }), getPlaylists: list }
  }
}, async ({ page, open }) => {
  const names = (label: string) =>
    page.locator('main').getByRole('list', { name: label, exact: true }).locator('.card-name').allTextContents()
  await page.getByRole('heading', { name: 'Genres and moods' }).waitFor()
  await page.locator('.tile', { hasText: 'Recommended' }).getByText('Morning Hours 0').waitFor()
  t.ok((await names('Genres and moods')).every(name => name.startsWith('Genre ')))
  await open('/playlists')
  // Not to the end: more is asked for before one is there, and what comes late above it moves it.
  await page.evaluate('main.scrollTop = main.scrollHeight - main.clientHeight - 200')
  await page.locator('.card-name', { hasText: 'Morning Hours 0' }).waitFor({ state: 'attached' })
  t.strictSame(await names('Playlists'), ['Morning Hours 0'])
  t.equal(await page.getByRole('heading', { level: 2, name: 'Genres and moods' }).count(), 1)
}))

t.test('a source without recommended playlists is not asked for them', t => visit(t, browser, {
  adapter: () => ({ getRecommendedPlaylist: undefined as never })
}, async ({ page }) => {
  const paths: string[] = []
  page.on('request', request => paths.push(new URL(request.url()).pathname))
  await page.reload()
  await page.getByRole('heading', { name: 'Playlists' }).first().waitFor()
  t.ok(paths.includes('/v1/playlist/list'), paths.join(' '))
  t.notOk(paths.some(path => path.includes('recommend')))
}))

t.test('a track number of ten digits stays beside the title', t => visit(t, browser, {
  adapter: base => ({
    getAlbumDetail: async (id, limit) => {
      const { tracks, ...album } = await base.getAlbumDetail(id, limit)
      return {
        ...album,
        tracks: tracks.map((track, at) =>
          ({ ...track, [extras]: { discNumber: 1, track: 1_234_567_890 + at } }))
      }
    }
  })
}, async ({ page, open }) => {
  await open('/album/b0')
  const number = page.locator('.row .number').first()
  await number.filter({ hasText: '1234567890' }).waitFor()
  const [box, title] = [await number.boundingBox(), await page.locator('.row .title').first().boundingBox()]
  t.ok(box!.x + box!.width <= title!.x)
  t.equal(await number.evaluate(element => element.scrollWidth - element.clientWidth), 0)
}))

t.test('an album tells an artist only where it is another one', t => visit(t, browser, {
  adapter: base => ({
    getAlbumDetail: async (id, limit) => {
      const { tracks: [one, two], ...album } = await base.getAlbumDetail(id, limit)
      const guest = { id: 'guest', name: 'A guest', coverUrl: '' }
      return { ...album, tracks: [one!, { ...two!, artists: [...two!.artists, guest] }] }
    }
  })
}, async ({ page, open }) => {
  await open('/album/b0')
  t.strictSame(await page.locator('.row .artists').allTextContents(), ['', 'Ada Quartet, A guest'])
}))

for (const width of widths) {
  t.test(`title, kind and artist stand beside the cover, and rows are as high as ${width} px need`, t => visit(t, browser, {
    browser: wide(width)
  }, async ({ page, open }) => {
    await open('/album/b0')
    const box = async (selector: string) => (await page.locator(selector).first().boundingBox())!
    const cover = await box('.hero > .cover')
    for (const selector of ['.kind', '.hero h1', '.hero .facts']) {
      t.ok((await box(selector)).x >= cover.x + cover.width, selector)
    }
    t.equal((await box('.row')).height, width > 720 ? 44 : 64)
    t.ok((await box('.row')).width <= 1124)
  }))
}

t.test('on a phone the lyrics are one swipe from the player, and the address says so', t => visit(t, browser, {
  browser: wide(390), adapter: () => ({ getTrackLyrics: () => ({ lyrics: '[00:00.00]Sung first' }) })
}, async ({ page, open, sees }) => {
  await open('/daily')
  await page.getByRole('button', { name: 'Play Morning Song 4' }).click()
  await open('/playing')
  await sees('Sung first')
  await page.locator('.now .view').evaluate(view => { view.scrollLeft = view.clientWidth })
  await page.waitForURL(/playing\?show=lyrics$/)
  await page.locator('.now .view').evaluate(view => { view.scrollLeft = 0 })
  await page.waitForURL(/playing$/)
}))

for (const [width, height] of [[667, 375], [568, 320], [320, 256]] as const) {
  t.test(`a window of ${width} × ${height} has all controls of the player in one view`, t => visit(t, browser, {
    browser: { viewport: { width, height } }
  }, async ({ page, go, open }) => {
    await go('/daily')
    await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
    await open('/playing')
    const main = page.locator('main')
    for (const name of ['Previous', 'Pause', 'Next', 'Shuffle', 'Repeat: off', 'Sound']) {
      const button = main.getByRole('button', { name, exact: true })
      await button.scrollIntoViewIfNeeded()
      const { x, y, width: size, height: length } = (await button.boundingBox())!
      t.ok(x >= 0 && x + size <= width && y >= 0 && y + length <= height, name)
    }
    const position = main.getByRole('slider', { name: 'Position' })
    t.ok((await position.boundingBox())!.width > 150)
    t.ok(await page.evaluate('document.scrollingElement.scrollWidth <= innerWidth'))
  }))
}

const headings = [
  'Jagged gypsy', 'ผู้ใหญ่ลี กับ ปี่', 'مُؤَلِّفُ الأُغْنِيَة', 'Ngược chiều gió ẩm', 'हिन्दी संगीत कार्यक्रम'
]
t.test('lines of headings are as high as their letters', t => visit(t, browser, {
  adapter: base => ({
    getAlbumDetail: async (id, limit) =>
      ({ ...await base.getAlbumDetail(id, limit), id, name: headings[Number(id.slice(1))]! })
  })
}, async ({ page, open }) => {
  for (const index of headings.keys()) {
    await open(`/album/h${index}`)
    const [line, letters] = await page.evaluate(() => {
      const heading = document.querySelector('h1')!
      const style = getComputedStyle(heading)
      const context = document.createElement('canvas').getContext('2d')!
      context.font = style.font
      const { fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText(heading.textContent!)
      return [Number.parseFloat(style.lineHeight), fontBoundingBoxAscent + fontBoundingBoxDescent]
    })
    t.ok(line! >= letters!, `${headings[index]}: ${letters} pixels in ${line}`)
  }
}))

t.test('on a phone titles have two lines, in which movements of a work differ', t => visit(t, browser, {
  browser: wide(390),
  adapter: base => ({
    getAlbumDetail: async (id, limit) => {
      const { tracks, ...album } = await base.getAlbumDetail(id, limit)
      const work = 'Symphony No. 9 in D minor, Op. 125 “Choral”'
      return { ...album, tracks: tracks.map((track, index) => ({ ...track, title: `${work}: ${index + 1}` })) }
    }
  })
}, async ({ page, open }) => {
  await open('/album/b0')
  const { height, isWhole } = await page.locator('.row .title').nth(1).evaluate(title =>
    ({ height: title.clientHeight, isWhole: title.scrollHeight <= title.clientHeight }))
  t.equal(height, 40)
  t.ok(isWhole)
}))

t.test('on a phone a track of seven artists leaves Pause on the screen', t => visit(t, browser, {
  browser: { viewport: { width: 390, height: 844 } },
  adapter: base => ({
    getDailyTracks: async () => (await base.getDailyTracks()).map(track => ({
      ...track,
      artists: Array.from({ length: 7 }, (_, index) =>
        ({ id: `many${index}`, name: `A rather long name of a choir, number ${index}`, coverUrl: '' }))
    }))
  })
}, async ({ page, go, open }) => {
  await go('/daily')
  await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
  await open('/playing')
  const main = page.locator('main')
  const { y, height } = (await main.getByRole('button', { name: 'Pause', exact: true }).boundingBox())!
  t.ok(y + height < 800)
  t.equal(await main.locator('.artists a').count(), 3)
  await main.getByRole('button', { name: 'more', exact: true }).click()
  t.equal(await main.locator('.artists a').count(), 7)
}))

t.test('lyrics have the height of a low window beside what plays', t => visit(t, browser, {
  browser: { viewport: { width: 1280, height: 720 } },
  adapter: () => ({ getTrackLyrics: () => ({ lyrics: '[00:00.00]Sung first' }) })
}, async ({ page, open }) => {
  await open('/daily')
  await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
  await open('/playing')
  const { height } = (await page.locator('main .lyrics').boundingBox())!
  t.ok(height > 400, `${height} px`)
}))

t.test('an empty view has a button that leads to music', t => visit(t, browser, {}, async ({ page, open }) => {
  await open('/queue')
  await page.locator('.empty').getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { level: 1, name: /^Good/ }).waitFor()
}))

t.test('what is not there is not tried again, what fails is', t => visit(t, browser, {
  adapter: () => ({ getArtistDetail: () => { throw new Error('no') } })
}, async ({ page, sees, go }) => {
  const button = page.locator('main').getByRole('button', { name: 'Try again' })
  for (const view of ['/album/gone', '/playlist/gone', '/toplist/gone']) {
    await go(view)
    await sees('There is no gone')
    t.equal(await button.count(), 0, view)
    await page.locator('main').getByRole('link', { name: 'Home' }).waitFor()
  }
  await go('/artist/a0')
  await button.waitFor()
}))

t.test('volume and quality are there in narrower windows too, and the heart has one place for all titles', t => visit(
  t, browser, {
    browser: { viewport: { width: 1080, height: 800 } },
    adapter: base => ({
      getDailyTracks: async () => {
        const [one, two] = await base.getDailyTracks()
        return [{ ...one!, title: 'A' }, { ...two!, title: 'A title that is as long as a title can be' }]
      }
    })
  }, async ({ page, open, row }) => {
    await open('/daily')
    const player = page.getByRole('region', { name: 'Player' })
    for (const width of [1080, 768]) {
      await page.setViewportSize({ width, height: 800 })
      const places = []
      for (const title of ['A', 'A title that is as long as a title can be']) {
        await page.getByRole('button', { name: `Play ${title}`, exact: true }).click()
        await player.locator('.player-title', { hasText: new RegExp(`^${title}$`) }).waitFor()
        places.push((await player.locator('.heart').boundingBox())!.x)
      }
      t.equal(places[0], places[1], `the heart at ${width} px`)
      await player.getByRole('slider', { name: 'Volume' }).waitFor()
      await player.getByRole('button', { name: 'Sound' }).click()
      await page.getByRole('dialog').getByLabel('Quality').waitFor()
      await page.keyboard.press('Escape')
      t.ok(await page.evaluate('document.querySelector(".player").scrollWidth <= innerWidth'))
    }
    for (const [width, height] of [[844, 390], [768, 1024], [720, 450]] as const) {
      await page.setViewportSize({ width, height })
      const title = (await player.locator('.player-title').boundingBox())!
      t.ok(title.width > 120, `${title.width} px of the title at ${width}x${height}`)
      t.equal(await player.getByRole('slider', { name: 'Volume' }).isVisible(), width > 720)
      t.ok(await page.evaluate('document.querySelector(".player").scrollWidth <= innerWidth'))
    }
    await row('A').first().waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await open('/playing')
    await page.locator('.now').getByRole('slider', { name: 'Volume' }).waitFor()
  }
))

t.test('a new playlist of a source elsewhere is one notice', async t => {
  const other = await elsewhere(t)
  await visit(t, browser, {}, async ({ page, go }) => {
    await addSource({ page, go }, other)
    await go('/daily')
    await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    await page.getByLabel('New playlist').fill('Fresh')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.locator('.notice', { hasText: 'Fresh' }).waitFor()
    t.strictSame(await page.locator('.notice > span').allTextContents(), ['Added to Fresh'])
  })
})

t.test('the button that plays a card is in a corner of its cover, from right to left too', t => visit(t, browser, {
  adapter: base => ({
    getToplist: async () => (await base.getToplist()).map(group => ({
      ...group, list: group.list.map(list => ({ ...list, tracks: Array(3).fill({ name: 'One', artistName: 'Ada' }) }))
    }))
  })
}, async ({ page, open }) => {
  for (const [view, direction] of [['/artists', 'ltr'], ['/toplists', 'ltr'], ['/artists', 'rtl']] as const) {
    await open(view)
    await page.evaluate(`document.documentElement.dir = ${JSON.stringify(direction)}`)
    const card = page.locator('main .card').first()
    await card.hover()
    const boxOf = async (selector: string) => (await card.locator(selector).boundingBox())!
    const [cover, button] = [await boxOf('.cover'), await boxOf('.card-play')]
    const isAtRight = button.x + button.width / 2 > cover.x + cover.width / 2
    t.equal(isAtRight, direction === 'ltr', direction)
    t.ok(button.x > cover.x && button.x + button.width < cover.x + cover.width, direction)
    const bar = page.locator('.player .seek input')
    const end = await bar.evaluate(input => getComputedStyle(input).getPropertyValue('--end'))
    t.equal(end, direction === 'ltr' ? '' : 'left', 'the bar is filled from its beginning')
    const [field, icon] = await Promise.all(['input', '.icon'].map(part =>
      page.locator(`.search-field ${part}`).boundingBox()))
    t.equal(icon!.x > field!.x + field!.width / 2, direction === 'rtl', 'the icon is where the search begins')
    t.ok(button.y > cover.y + cover.height / 2 && button.y + button.height <= cover.y + cover.height, view)
  }
}))

t.test('what one does with an album is in one line of a phone of 320 pixels', t => visit(t, browser, {
  browser: { viewport: { width: 320, height: 568 } }
}, async ({ page, open }) => {
  for (const view of ['/album/b0', '/artist/a0', '/playlist/p0']) {
    await open(view)
    await page.locator('.hero .actions > *').nth(3).waitFor()
    const middles = await page.locator('.hero .actions > *').evaluateAll((all: any[]) => all.map(one => {
      const { top, height } = one.getBoundingClientRect()
      return Math.round(top + height / 2)
    }))
    t.ok(Math.max(...middles) - Math.min(...middles) < 4, `${view} ${middles.join()}`)
  }
}))

for (const [width, height] of [[320, 480], [320, 568], [390, 844], [844, 390]] as const) {
  t.test(`what a source tells of a track besides pushes no control away, ${width}x${height}`, t => visit(t, browser, {
    browser: { viewport: { width, height }, hasTouch: true, isMobile: true },
    adapter: base => ({
      getTrackDetail: async id => ({
        ...await base.getTrackDetail(id),
        [extras]: { year: 1824, genres: ['Classical', 'Choral', 'Symphonic', 'A genre of many words'] }
      })
    })
  }, async ({ page, open }) => {
    await open('/daily')
    await page.getByRole('button', { name: 'Play Noon Song 5', exact: true }).click()
    await open('/playing')
    await page.locator('.facts .facts').waitFor({ state: 'attached' })
    const boxOf = async (selector: string) =>
      (await page.locator(selector).locator('visible=true').first().boundingBox())!
    const pause = await boxOf('.play-main')
    t.ok(pause.y > 0 && pause.y + pause.height <= height, `${pause.y}`)
    const title = page.locator('.player-title')
    if (await title.isVisible()) t.ok((await title.boundingBox())!.width > 60, 'the bar has room for the title')
    const [seek, facts] = [await boxOf('.seek'), await boxOf('.hero .facts')]
    t.ok(facts.y + facts.height <= seek.y || facts.x + facts.width <= seek.x || facts.y >= seek.y + seek.height,
      JSON.stringify([facts, seek]))
  }))
}
