/**
 * Measures the memory of a library of 1,000,000 tracks: `npm run build && node test/bench/many-tracks.ts [TRACKS]`
 * (Node 22 or later).
 *
 * There are no files: the rows are written by the code that a scan uses, 50 files at a time. Then the library is opened
 * again, and all of it is read. Prints the most memory that the process had until then, and times of the processor;
 * passes and fails nothing. The same library on every run.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalogue as CatalogueClass } from '../../example/catalogue/catalogue.ts'
import type { changeIndex as change } from '../../example/catalogue/change-index.ts'
import type { idOf as id } from '../../example/scan/identify.ts'
import type { AudioFile } from '../../example/scan/read-audio-file.ts'
import type { openIndex as open } from '../../example/index/open-index.ts'
import { wholeList } from '../whole-list.ts'

const built = (file: string) => import(join(import.meta.dirname, '../../dist/example', file))
const { Catalogue } = await built('catalogue/catalogue.js') as { Catalogue: typeof CatalogueClass }
const { changeIndex } = await built('catalogue/change-index.js') as { changeIndex: typeof change }
const { idOf } = await built('scan/identify.js') as { idOf: typeof id }
const { openIndex } = await built('index/open-index.js') as { openIndex: typeof open }

const total = Number(process.argv[2] ?? 1_000_000)
const every = total / 10
const filesAtATime = 50
const perAlbum = 10
const genres = ['Rock', 'Pop', 'Jazz', 'Classical', 'Folk', 'Electronic', 'Hip-Hop', 'World', 'Ambient', 'Metal']

/** As `make-many-files.ts` makes them. */
function fileAt (at: number): AudioFile {
  const [number, track] = [Math.floor(at / perAlbum), at % perAlbum + 1]
  const [artist, album, title] = [`Artist ${Math.floor(number / 20)}`, `Album ${number}`, `Song ${number} ${track}`]
  const year = 1970 + number % 50
  return {
    path: `${artist}/${album}/${track}.mp3`,
    size: 4000,
    mtimeMs: 1_700_000_000_000 + at,
    trackId: idOf(title),
    title,
    artists: [artist],
    album,
    albumArtists: [artist],
    genres: [genres[number % genres.length]!],
    trackNumber: track,
    year,
    publishTime: Date.UTC(year),
    durationMs: 100,
    format: 'mp3',
    lossless: false,
    bitrate: 128_000,
    audio: '',
    added: 1_700_000_000_000 + at
  }
}

const processor = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
/** What was done and how often, the processor time of each, and the most memory until then. */
function tell (what: string, began: number, times = 1): void {
  const each = ((processor() - began) / times).toFixed(3)
  const most = Math.round(process.resourceUsage().maxRSS / 1024)
  process.stdout.write(`${what.padEnd(36)} ${each.padStart(9)} ms ${String(most).padStart(5)} MB at most\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const made = openIndex(folder, { warn () {} })
let began = processor()
for (let from = 0; from < total; from += filesAtATime) {
  if (from > 0 && from % every === 0) {
    tell(`${from.toLocaleString('en')}, each track`, began, every)
    began = processor()
  }
  const files = Array.from({ length: filesAtATime }, (_, at) => fileAt(from + at))
  made.transaction(() => changeIndex(made, { files }), true)
  await new Promise(setImmediate)
}
made.transaction(() => {})
tell(`${total.toLocaleString('en')}, each track`, began, every)
made.close()

began = processor()
const db = openIndex(folder, { warn () {} })
const catalogue = new Catalogue(db)
tell('open it again', began)
const measure = async (what: string, times: number, work: (time: number) => unknown) => {
  began = processor()
  for (let time = 0; time < times; time++) {
    catalogue.changed()
    await work(time)
  }
  tell(what, began, times)
}
await measure('read all of it', 1, () => {
  const tracks = catalogue.tracks.values()
  while (!tracks.next().done);
})
await measure('ids of all tracks', 3, () => wholeList(catalogue.ids({ kind: 'tracks' })))
await measure('a page of 20 new tracks', 100, () => catalogue.newTracks(20))
await measure('ids of all albums by name', 10, () => catalogue.ids({ kind: 'albums' }))
await measure('100 tracks by their ids', 10, async () =>
  catalogue.tracks.some((await wholeList(catalogue.ids({ kind: 'tracks' }))).slice(0, 100)))
await measure('a search for a', 10, () => catalogue.searchTracks('a', { limit: 20 }))
await measure('a file that has changed', 100, time => {
  db.transaction(() => changeIndex(db, { files: [{ ...fileAt(time * 77), title: 'Other' }] }))
})
db.close()
rmSync(folder, { recursive: true })
