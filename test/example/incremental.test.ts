import fc from 'fast-check'
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { MusicFolder } from '../../example/index/music-folder.ts'
import { fifthOfRuns } from '../fifth.ts'
import { folder, mp3, put, wav } from './helper.ts'
import { differenceOf, rowsOf } from './library-rows.ts'
import type { Tags } from './make-audio.ts'
import { albums, garble } from './scan/encoded-albums.ts'
import { wholeList } from '../whole-list.ts'

const log: any = { debug () {}, info () {}, warn () {}, error ({ err }: { err: Error }) { throw err } }

// What is changed by a scan of some folders has to be what a scan of all of them makes of the same files, in every row.

const titles = ['A', 'a', 'B', 'Track 10', 'Ünder']
const sample = fc.record({
  title: fc.constantFrom(...titles, undefined),
  artist: fc.constantFrom('One', 'ONE', 'Two', 'One; Two', 'Two feat. Three', 'One x Two', 'Two & Three'),
  albumArtist: fc.constantFrom('One', 'Various Artists', 'One; Two', 'Two; One', undefined),
  album: fc.constantFrom('Album', 'ALBUM', 'Other'),
  track: fc.constantFrom('1', '2', undefined),
  date: fc.constantFrom('1990', '2001-05', undefined),
  release: fc.constantFrom('1', '2', undefined, undefined, undefined),
  genre: fc.constantFrom('Rock', 'rock; Pop', undefined)
})
const folders = ['', 'x', 'x/CD1', 'x/CD1/z', 'w']
const path =
  fc.tuple(fc.constantFrom(...folders), fc.constantFrom('1.mp3', '2.mp3', '3.wav', '1.MP3', 'e\u0301.mp3', '1%25.mp3'))
    .map(([folder, name]) => join(folder, name))
const [artist, album, ...texts] = albums['windows-1251'][0]!

type Change = (root: string) => string[]

/** Clocks are not exact enough to tell two changes of a moment apart. */
let time = 1_000_000_000
const write = (root: string, path: string, content: string | Uint8Array) => {
  if (!existsSync(join(root, path)) || !statSync(join(root, path)).isDirectory()) put(root, path, content, time++)
  return [path]
}

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(path, sample, fc.constantFrom(1, 9)).map(([path, tags, seconds]) => (root: string) => {
      const known = Object.fromEntries(Object.entries(tags).filter(([, value]) => value !== undefined)) as Tags
      return write(root, path, path.endsWith('wav') ? wav(known) : mp3(known, { seconds }))
    })
  },
  // Tags in an old encoding, which the files of an album tell together.
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('x', 'w'), fc.nat(3)).map(([folder, at]) => (root: string) => write(
      root, `${folder}/old ${at}.mp3`, mp3({
        title: garble(texts[at]!, 'windows-1251'),
        artist: garble(artist!, 'windows-1251'),
        album: garble(album!, 'windows-1251')
      }, { encoding: 'latin1' })
    ))
  },
  path.map(path => (root: string) => write(root, path, 'no audio')),
  path.map(path => (root: string) => {
    rmSync(join(root, path), { force: true })
    return [path]
  }),
  fc.constantFrom(...folders.slice(1)).map(path => (root: string) => {
    rmSync(join(root, path), { recursive: true, force: true })
    return [path]
  }),
  fc.tuple(path, path).map(([from, to]) => (root: string) => {
    if (!existsSync(join(root, from))) return []
    mkdirSync(dirname(join(root, to)), { recursive: true })
    renameSync(join(root, from), join(root, to))
    return [from, to]
  }),
  fc.tuple(
    fc.constantFrom('x', 'x/CD1', 'w'), fc.constantFrom('moved', 'w', 'x/Disc 2')
  ).map(([from, to]) => (root: string) => {
    if (!existsSync(join(root, from)) || existsSync(join(root, to)) || to.startsWith(from)) return []
    mkdirSync(dirname(join(root, to)), { recursive: true })
    renameSync(join(root, from), join(root, to))
    return [from, to]
  }),
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('list.m3u', 'x/list.m3u', 'x/other.m3u'),
      fc.array(fc.oneof(path, path.map(path => `../${path.toUpperCase()}`), path.map(path => `/away/music/${path}`), path.map(path =>
        encodeURIComponent(path))))
    ).map(([path, lines]) => (root: string) => write(root, path, lines.join('\n')))
  },
  fc.constantFrom('list.m3u', 'x/list.m3u').map(path => (root: string) => {
    rmSync(join(root, path), { force: true })
    return [path]
  })
)

/** The folders that a watcher tells of: those in which something has come, gone or changed. */
const toldOf = (paths: readonly string[]) =>
  new Set(paths.flatMap(path => [path, dirname(path)]).map(path => path === '.' ? '' : path))

async function answersOf ({ catalogue }: MusicFolder) {
  const searches = ['a', 'one', 'two', 'album', 'track', 'under', 'albmu', 'three', texts[0]!.split(' ')[0]!]
  const found = await Promise.all(searches.map(async keyword => [
    await catalogue.searchTracks(keyword, { limit: 100 }),
    await catalogue.searchAlbums(keyword, { limit: 100 }),
    await catalogue.searchArtists(keyword, { limit: 100 })
  ].map(items => items.map(({ number }) => number))))
  const ids = await wholeList(catalogue.ids({ kind: 'tracks', sort: 'album' }))
  const tracks = ids.map(id => catalogue.tracks.get(id)!.number)
  return { found, qualities: catalogue.qualities, tracks }
}

t.test('what a scan of some folders makes is what a scan of all makes, in every row', async t => {
  await fc.assert(fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), {
    minLength: 3, maxLength: 12
  }), async steps => {
    const root = folder(t, { 'x/first.mp3': mp3({ title: 'First', artist: 'One', album: 'Album' }) })
    const dataDir = folder(t)
    const library = await MusicFolder.open(root, dataDir, log)
    try {
      await library.scan()
      for (const changes of steps) {
        const told = toldOf(changes.flatMap(change => change(root)))
        await library.scan(told)
        const [fullDir, rows] = [folder(t), rowsOf(dataDir)]
        const full = await MusicFolder.open(root, fullDir, log)
        await full.scan()
        const [expected, answers] = [rowsOf(fullDir), await answersOf(full)]
        await full.close()
        const difference = differenceOf(rows, expected)
        if (difference !== undefined) throw new Error(difference)
        if (JSON.stringify(await answersOf(library)) !== JSON.stringify(answers)) throw new Error('other answers')
        rmSync(fullDir, { recursive: true })
      }
    } finally {
      await library.close()
    }
  }), { numRuns: Number(process.env.RUNS ?? fifthOfRuns(20).numRuns), seed: Number(process.env.SEED ?? 1) })
  t.pass('they are')
})
