import t from 'tap'
import { extras, type TrackExtras } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { addSource, elsewhere, playerOf, visit } from './helper.ts'

const browser = await launch(t)

const known: Record<string, TrackExtras> = {
  't5 of disc 2': { discNumber: 2, track: 1, year: 2002, genres: ['Jazz', 'Folk'], displayComposer: 'Ada Plume' },
  't4 of disc 1': {
    discNumber: 1,
    track: 7,
    year: 2001,
    genres: ['Jazz'],
    contributors: [
      { role: 'composer', artist: { name: 'Nils Öhlin' } }, { role: 'lyricist', artist: { name: 'Nobody' } }
    ]
  },
  't3 of disc 1': { discNumber: 1, track: 3, year: 2001, genres: ['Jazz'], displayComposer: 'Ada Plume' }
}

/** An album of two discs, whose tracks the source lists from behind. */
const album = {
  getAlbumDetail: (id: string) => {
    if (id !== 'box') return { id, name: 'Plain', coverUrl: '', tracks: [trackOf('One'), trackOf('Two')] }
    return {
      id,
      name: 'The box',
      coverUrl: '',
      publishTime: Date.UTC(2001),
      genre: 'Jazz',
      tracks: Object.entries(known).map(([title, more]) => ({ ...trackOf(title), [extras]: more })),
      [extras]: { recordLabels: ['Lamplight', 'Other'], discTitles: [{ disc: 2, title: 'Live' }] }
    }
  },
  getTrackDetail: (id: string) => ({ ...trackOf(id), [extras]: known[id] })
}
const trackOf = (title: string) => ({
  id: title,
  title,
  artists: [{ id: 'a0', name: 'Somebody', coverUrl: '' }],
  album: { id: 'box', name: 'The box', coverUrl: '' },
  durationMs: 10_000
})
const lines = 'Array.from(document.querySelectorAll(".row-heading, .row"))' +
  '.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)' +
  '.map(row => [row.querySelector("h2, .title").textContent, row.querySelector(".number")?.textContent ?? "",' +
  ' row.querySelector(".row-album")?.checkVisibility() ? row.querySelector(".row-album").textContent : ""])'

t.test('an album shows discs with titles, tracks by disc and number, and what extras tell', t => visit(t, browser, {
  adapter: base => ({ ...album, getTrackUrl: (_id: string, quality?: string) => base.getTrackUrl('t1', quality) })
}, async ({ page, open, sees }) => {
  await open('/album/box')
  t.strictSame(await page.evaluate(lines), [
    ['Disc 1', '', ''],
    ['t3 of disc 1', '3', 'Ada Plume'],
    ['t4 of disc 1', '7', 'Nils Öhlin'],
    ['Disc 2: Live', '', ''],
    ['t5 of disc 2', '1', 'Ada Plume · 2002 · Jazz, Folk']
  ])
  t.equal(await page.locator('.hero .kind').textContent(), 'Album')
  t.strictSame(await page.locator('.hero .facts > span').allTextContents(),
    ['2001', 'Jazz', 'Lamplight, Other', '3 tracks', '1 min'])
  await page.locator('.hero .actions').getByRole('button', { name: 'Play' }).click()
  await playerOf(page).titled('t3 of disc 1').waitFor()
  await open('/playing')
  await sees('Composed by Ada Plume')
  t.strictSame(await page.locator('.now .facts .facts > span').allTextContents(),
    ['2001', 'Jazz', 'Composed by Ada Plume'])
}))

t.test('what all tracks of an album have in common is said once', t => visit(t, browser, {
  adapter: () => ({
    getAlbumDetail: id => ({
      id,
      name: 'The box',
      coverUrl: '',
      tracks: ['One', 'Two'].map((title, index) => ({
        ...trackOf(title),
        [extras]: { track: index + 4, year: 1999, genres: ['Folk', 'Pop'], displayComposer: 'Ada Plume' }
      }))
    })
  })
}, async ({ page, open }) => {
  await open('/album/box')
  t.strictSame(await page.locator('.hero .facts > span').allTextContents(),
    ['1999', 'Folk, Pop', 'Composed by Ada Plume', '2 tracks', '20 sec'])
  t.strictSame(await page.evaluate(lines), [['One', '4', ''], ['Two', '5', '']])
}))

t.test('a source without extras is asked three times, and one elsewhere never', async t => {
  const other = await elsewhere(t, { adapter: () => album })
  await visit(t, browser, { adapter: () => album }, async ({ page, go, open }) => {
    const asked: string[] = []
    page.on('request', request => { if (request.url().includes('/page/extras')) asked.push(request.url()) })
    for (const id of ['one', 'two', 'three', 'four', 'five']) {
      await open(`/album/${id}`)
      await page.getByRole('button', { name: 'Play Two' }).waitFor()
    }
    t.strictSame(await page.evaluate(lines), [['One', '1', ''], ['Two', '2', '']])
    t.equal(asked.length, 3)
    await addSource({ page, go }, other)
    await open('/album/box')
    t.strictSame(await page.evaluate(lines), [
      ['t5 of disc 2', '1', ''], ['t4 of disc 1', '2', ''], ['t3 of disc 1', '3', '']
    ])
    t.equal(asked.length, 3)
  })
})
