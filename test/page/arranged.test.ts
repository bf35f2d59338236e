import t from 'tap'
import type { PlaylistEdit } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { playlistSortOptions, type WholeAdapter } from '../reference-source.ts'
import { playedTo, playerOf, visit, type Visit } from './helper.ts'

const browser = await launch(t)

const named = (at: number, name: string) => ({ id: `${name}${at}`, name, coverUrl: '' })
/** Ten tracks: as they come, none of their columns is in order. */
const listed = Array.from({ length: 10 }, (_empty, at) => ({
  id: `t${at}`,
  title: `Song ${(at * 7 + 3) % 10}`,
  artists: [named(0, at % 2 === 0 ? 'The Åse Trio' : 'Bo')],
  album: named(at % 3, ['Later', 'Early', 'Never'][at % 3]!),
  durationMs: 100_000 + (at * 3 % 10) * 1000,
  mvId: null
}))

const titles = (page: Visit['page']) => page.locator('main .row .title').allTextContents()
const first = (page: Visit['page'], title: string) =>
  page.locator('main .row[data-index="0"] .title').filter({ hasText: title }).waitFor()

/** Playlists of ten tracks, which one has made. */
const tenTracks = (base: WholeAdapter, edits: PlaylistEdit[] = []) => ({
  getPlaylistDetail: async (id: string) =>
    ({ ...named(0, `List ${id}`), id, trackCount: listed.length, tracks: [...listed] }),
  getUserPlaylist: async () => (await base.getPlaylists(0, 2)).items,
  getDailyTracks: () => [...listed],
  editPlaylist: async (edit: PlaylistEdit) => {
    edits.push(edit)
    return named(0, 'List')
  }
})

t.test('a list in memory is sorted by its columns, by a field and by their heads, and plays as it is shown', t =>
  visit(t, browser, { adapter: base => tenTracks(base) }, async ({ page, open }) => {
    await open('/daily')
    await first(page, 'Song 3')
    await page.getByLabel('Sort by').selectOption('Title')
    await first(page, 'Song 0')
    t.strictSame(await titles(page), listed.map((_track, at) => `Song ${at}`))
    await page.getByRole('button', { name: 'Ascending' }).click()
    await first(page, 'Song 9')
    await page.locator('.columns .by', { hasText: 'Length' }).click()
    await first(page, 'Song 3')
    t.equal(await page.getByLabel('Sort by').inputValue(), 'length')
    await page.locator('.columns .by', { hasText: 'Length ↑' }).click()
    await first(page, 'Song 4')
    await page.getByLabel('Sort by').selectOption('Artist')
    await page.getByRole('button', { name: 'Descending' }).waitFor({ state: 'detached' })
    t.equal(await page.locator('main .row .artists').first().textContent(), 'The Åse Trio', 'without its article')
    await page.locator('main').getByRole('button', { name: 'Play', exact: true }).click()
    await playedTo(page, 0.1)
    const shown = await titles(page)
    await playerOf(page).next.click()
    await playerOf(page).titled(shown[1]!).waitFor()
  }))

t.test('each list is sorted as it was left, after a reload too, and until one signs out', t =>
  visit(t, browser, { adapter: base => tenTracks(base) }, async ({ page, open }) => {
    await open('/playlist/p0')
    await page.getByLabel('Sort by').selectOption('Album')
    await first(page, 'Song 0')
    await page.getByRole('button', { name: 'Ascending' }).click()
    await first(page, 'Song 7')
    await open('/playlist/p1')
    await first(page, 'Song 3')
    t.equal(await page.getByLabel('Sort by').inputValue(), '')
    await page.reload()
    await open('/playlist/p0')
    await first(page, 'Song 7')
    t.equal(await page.getByLabel('Sort by').inputValue(), 'album')
    t.ok(await page.evaluate('Object.keys(localStorage).some(name => name.includes("sorts"))'))
    await open('/sources')
    await page.locator('main').getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').waitFor()
    t.notOk(await page.evaluate('Object.keys(localStorage).some(name => name.includes("sorts"))'))
  }))

t.test('a field finds tracks of a list by title, artist and album, without their accents', t =>
  visit(t, browser, { adapter: base => tenTracks(base) }, async ({ page, open, sees }) => {
    await open('/daily')
    const find = page.getByRole('searchbox', { name: 'Find' })
    const count = (text: string) => page.waitForFunction(
      count => document.querySelectorAll('main .row').length === count,
      listed.filter(track => JSON.stringify(track).includes(text)).length)
    await find.fill('ase ')
    await count('Åse')
    await find.fill('NEVER')
    await count('Never')
    await find.fill('song 4')
    await count('Song 4')
    await find.fill('nothing of this')
    await sees('Nothing here yet.')
  }))

t.test('an own playlist is moved in its own order alone; what is removed of it sorted or found is one edit', t => {
  const edits: PlaylistEdit[] = []
  return visit(t, browser, { adapter: base => tenTracks(base, edits) }, async ({ page, open, row }) => {
    await open('/playlist/p0')
    const handles = (count: number) =>
      page.waitForFunction(count => document.querySelectorAll('main .handle').length === count, count)
    await handles(10)
    await page.getByLabel('Sort by').selectOption('Artist')
    await handles(0)
    await page.getByLabel('Sort by').selectOption('Custom order')
    await handles(10)
    await page.getByRole('searchbox', { name: 'Find' }).fill('Bo')
    await handles(0)
    for (const at of [0, 1]) await row('Bo').nth(at).locator('.row-time').click({ modifiers: ['Control'] })
    await page.locator('.selection').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Remove from this playlist' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    t.strictSame(edits[0]!.tracks, listed.filter((_track, at) => at !== 1 && at !== 3).map(({ id }) => id))
    const put = page.waitForResponse('**/page/playlist')
    await page.getByRole('button', { name: 'Undo' }).click()
    await put
    t.strictSame(edits[1]!.tracks, listed.map(({ id }) => id), 'in the order that is stored')
  })
})

t.test('what is removed from a playlist that its source sorts comes back in the order that is stored', t => {
  const edits: PlaylistEdit[] = []
  return visit(t, browser, {
    adapter: base => {
      const adapter = tenTracks(base, edits)
      return {
        ...adapter,
        getPlaylistDetail: async (id: string, _limit?: number, sort?: string) => {
          const { tracks, ...playlist } = await adapter.getPlaylistDetail(id)
          return { ...playlist, tracks: sort ? tracks.toReversed() : tracks }
        }
      }
    }
  }, async ({ page, open, row }) => {
    await open('/playlist/p0')
    const [sort] = playlistSortOptions
    await page.getByLabel('Sort by').selectOption(sort!.label)
    await first(page, listed[9]!.title)
    await row(listed[4]!.title).getByRole('button', { name: 'More for' }).click()
    await page.getByRole('button', { name: 'Remove from this playlist' }).click()
    const put = page.waitForResponse(response => response.request().method() === 'POST')
    await page.getByRole('button', { name: 'Undo' }).click()
    await put
    t.strictSame(edits.at(-1)!.tracks, listed.map(({ id }) => id))
    t.not(edits.length, 1)
  })
})

t.test('an album has its discs and numbers in its order alone, and no column in which all are alike', t =>
  visit(t, browser, {
    adapter: base => ({
      getAlbumDetail: async id => ({
        ...await base.getAlbumDetail(id, -1), tracks: listed.map(track => ({ ...track, album: named(0, 'Later') }))
      })
    })
  }, async ({ page, open }) => {
    await open('/album/b0')
    const by = page.getByLabel('Sort by')
    t.strictSame(await by.locator('option').allTextContents(), ['As listed', 'Title', 'Artist', 'Length'])
    await by.selectOption('Title')
    await first(page, 'Song 0')
    t.equal(await page.locator('main .row .number').first().textContent(), '2')
  }))

t.test('a list that is seen at a glance has no fields', t => visit(t, browser, {
  context: { playlistSortOptions: [] }
}, async ({ page, open }) => {
  await open('/playlist/p0')
  t.equal(await page.locator('.sorting').count(), 0)
}))
