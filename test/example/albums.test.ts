import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { MusicFolder } from '../../example/index/music-folder.ts'
import { folder, mp3, put } from './helper.ts'
import type { Tags } from './make-audio.ts'

const log: any = { debug () {}, info () {}, warn () {}, error ({ err }: { err: Error }) { throw err } }

/** The rows of the table of rules, with the files that each describes. */
const rows = readFileSync('docs/operations/folder-files.md', 'utf8').split('## Albums')[1]!.split('\n## ')[0]!
  .split('\n').filter(line => line.includes('→')).map((line, at) => {
    const [, rule, example] = line.split('|').map(text => text.trim())
    const [given, albums] = example!.split(' → ')
    const files = given!.split(' / ').flatMap(text => {
      const [, name, songs] = /^`(.+)`: (.+)$/.exec(text)!
      return songs!.split(', ').map((song, index) => [`${at}/${name}/${index + 1}.mp3`, mp3(tagsOf(song, at, index + 1))])
    }) as [path: string, content: Buffer][]
    return { rule: `${rule}: ${example}`, title: titleOf(at), files, albums: albums!.split(', ').sort() }
  })

function titleOf (row: number) { return `Album ${row}` }

/** `Band; Guest 1990 #1 (of Star)` */
function tagsOf (song: string, row: number, track: number): Tags {
  const [, artist, date, release, more, albumArtist] =
    /^(.+?)(?: (\d{4}))?(?: #(\d))?(?: \((of (.+)|compilation)\))?$/.exec(song)!
  const tags: Tags = { title: `Song ${track}`, artist: artist!, album: titleOf(row), track: String(track) }
  if (date !== undefined) tags.date = date
  if (release !== undefined) tags.release = release
  if (albumArtist !== undefined) tags.albumArtist = albumArtist
  else if (more !== undefined) tags.compilation = '1'
  return tags
}

async function open (t: Test, root: string, dataDir = folder(t)) {
  const library = await MusicFolder.open(root, dataDir, log)
  t.teardown(() => library.close())
  await library.scan()
  return library
}

const namesOf = (artists: readonly { readonly name: string }[]) => artists.map(({ name }) => name).join(' + ')

/** The albums of a title as the table writes them. */
const albumsOf = ({ catalogue }: MusicFolder, title: string) => [...catalogue.albums.values()]
  .filter(({ name }) => name === title).map(({ artists, trackCount }) => `${namesOf(artists)} ${trackCount}`).sort()

/** How far the files of the rows have come, one of each at a time. */
async function arriving (t: Test, files: (row: typeof rows[number]) => [path: string, content: Buffer][]) {
  const root = folder(t, { 'first.mp3': mp3({}) })
  const library = await open(t, root)
  const lists = rows.map(row => files(row))
  for (let at = 0; at < Math.max(...lists.map(({ length }) => length)); at++) {
    for (const list of lists) if (at < list.length) put(root, ...list[at]!)
    await library.scan()
  }
  return library
}

t.test('where numbers repeat, the tracks of a folder stay together, in the detail, in lists and both ways', async t => {
  const tags = (title: string, track: string) => mp3({ title, artist: 'One', album: 'Live', albumArtist: 'One', track })
  const { catalogue } = await open(t, folder(t, {
    'Live/Friday/1.mp3': tags('F1', '1'),
    'Live/Saturday/1.mp3': tags('S1', '1'),
    'Live/Friday/2.mp3': tags('F2', '2'),
    'Live/Saturday/2.mp3': tags('S2', '2')
  }))
  const [album] = catalogue.albums.values()
  t.same(catalogue.albumTracks(album!, 9).map(({ title }) => title), ['F1', 'F2', 'S1', 'S2'])
  for (const [order, expected] of [['asc', 'F1 F2 S1 S2'], ['desc', 'S2 S1 F2 F1']] as const) {
    const titles: (string | undefined)[] = []
    for await (const ids of catalogue.ids({ kind: 'tracks', album: album!.id, order }) as AsyncIterable<string[]>) {
      titles.push(...(await catalogue.tracks.find(ids)).map(track => track?.title))
    }
    t.equal(titles.join(' '), expected)
  }
})

t.test('the rules of albums', async t => {
  const all = await open(t, folder(t, Object.fromEntries(rows.flatMap(({ files }) => files))))
  const one = await arriving(t, ({ files }) => files)
  const last = await arriving(t, ({ files }) => files.toReversed())
  t.ok(rows.length > 15)
  for (const { rule, title, albums } of rows) {
    t.same(albumsOf(all, title), albums, rule)
    t.same(albumsOf(one, title), albums, `${rule}, one after the other`)
    t.same(albumsOf(last, title), albums, `${rule}, the last one first`)
  }
})

const song = (title: string, artist: string, more: Tags = {}) =>
  mp3({ title, artist, album: 'Album', ...more }, { seconds: 1 + title.charCodeAt(0) % 16 })

const favourites = async ({ catalogue }: MusicFolder, kind: 'album' | 'artist' | 'track', ids: string[]) => {
  const current = await catalogue.currentIds(kind, ids)
  return ids.map(id => current.get(id) ?? id)
}

t.test('favourites follow an album that parts, and albums that become one', async t => {
  const date = '1990'
  const root = folder(t, { 'a/1.mp3': song('A', 'One', { date }), 'a/2.mp3': song('B', 'One', { date }) })
  const library = await open(t, root)
  const albums = () => new Map(Array.from(library.catalogue.albums.values(), album =>
    [`${namesOf(album.artists)} ${library.catalogue.albumTracks(album, 9).map(({ year }) => year).join()}`, album.id]))
  const [plain] = albums().values()
  const ids = Array.from(library.catalogue.tracks.values(), ({ id }) => id)
  put(root, 'b/1.mp3', song('A', 'One', { date: '2010' }))
  put(root, 'b/2.mp3', song('B', 'One', { date: '2010' }))
  await library.scan()
  t.same([...albums().keys()].sort(), ['One 1990,1990', 'One 2010,2010'])
  t.same(await favourites(library, 'album', [plain!]), [albums().get('One 1990,1990')])
  t.same(ids.map(id => library.catalogue.tracks.get(id)?.year), [1990, 1990])
  const later = albums().get('One 2010,2010')!
  rmSync(join(root, 'a'), { recursive: true })
  await library.scan()
  t.same(await favourites(library, 'album', [later]), [plain])
  put(root, 'b/3.mp3', song('C', 'Two', { date: '2010' }))
  await library.scan()
  t.same([...albums().keys()], ['Various Artists 2010,2010,2010'])
  t.same(await favourites(library, 'album', [plain!, later]), [...albums().values(), ...albums().values()])
  mkdirSync(join(root, 'c'))
  renameSync(join(root, 'b/3.mp3'), join(root, 'c/3.mp3'))
  await library.scan()
  t.same(await favourites(library, 'album', [plain!]), [albums().get('One 2010,2010')])
  t.equal(library.catalogue.tracks.size, 3)
})

t.test('files that were one track and are of two editions now keep their ids and lead back to one', async t => {
  const root = folder(t, { 'a/1.mp3': song('A', 'One'), 'b/1.mp3': song('A', 'One', { date: '2010' }) })
  const library = await open(t, root)
  const [{ id }] = library.catalogue.tracks.values() as unknown as [{ id: string }]
  t.equal(library.catalogue.tracks.size, 1)
  put(root, 'a/1.mp3', song('A', 'One', { date: '1990' }))
  await library.scan()
  const tracks = Array.from(library.catalogue.tracks.values(), ({ id, year }) => [year, id])
  t.same(tracks.map(([year]) => year).sort(), [1990, 2010])
  t.ok(tracks.some(([, each]) => each === id), 'one of them has it')
  put(root, 'a/1.mp3', song('A', 'One', { date: '2010' }))
  await library.scan()
  t.equal(library.catalogue.tracks.size, 1)
  for (const [, each] of tracks) t.equal(library.catalogue.tracks.get(each as string)?.paths.length, 2)
})
