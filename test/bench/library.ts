/**
 * Measures a library: `npm run build && node test/bench/library.ts FOLDER` (Node 22 or later).
 *
 * Prints the first scan, restarts, searches and memory; passes and fails nothing. `make-collection.ts` makes a folder
 * of many small files for it, `make-real-files.ts` one of files of real sizes, to compare with other servers that scan
 * it.
 */
import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { MusicFolder as FolderClass } from '../../example/index/music-folder.ts'

const built = join(import.meta.dirname, '../../dist/example/index/music-folder.js')
const { MusicFolder } = await import(built) as { MusicFolder: typeof FolderClass }
const folder = process.argv[2]!
const dataDir = mkdtempSync(join(tmpdir(), 'bench-'))
const silent: any = { info () {}, warn () {}, error: console.error }

const print = (what: string, value: string) => process.stdout.write(`${what.padEnd(44)} ${value}\n`)
const megabytes = () => `${Math.round(process.memoryUsage().rss / 1024 / 1024)} MB`
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const milliseconds = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} ms`

/** The most memory that there was, in bytes. */
let most = 0
setInterval(() => { most = Math.max(most, process.memoryUsage.rss()) }, 5).unref()
const delay = monitorEventLoopDelay({ resolution: 5 })

async function openAndScan () {
  const began = performance.now()
  const library = await MusicFolder.open(folder, dataDir, silent)
  const opened = performance.now() - began
  delay.reset()
  delay.enable()
  const scan = library.scan()
  let first = 0
  const look =
    setInterval(() => { if (first === 0 && library.catalogue.tracks.size > 0) first = performance.now() - began }, 10)
  await scan
  delay.disable()
  clearInterval(look)
  const scanned = performance.now() - began
  return { library, opened, first: first || scanned, scanned }
}

const first = await openAndScan()
print('memory after the first scan', megabytes())
print('most memory in the first scan', `${Math.round(most / 1024 / 1024)} MB`)
print('longest time that nothing else ran', milliseconds(delay.max / 1e6))
const { tracks, albums, artists } = first.library.catalogue
print('tracks, albums, artists', [tracks.size, albums.size, artists.size].join(', '))
await first.library.close()

const restarts = []
for (let round = 0; round < 7; round++) {
  const restart = await openAndScan()
  restarts.push({ ...restart, delay: delay.max / 1e6 })
  await restart.library.close()
}
const restarted = median(restarts.map(({ scanned }) => scanned))
print('first scan', milliseconds(first.scanned))
print('first music', milliseconds(first.first))
print('restart: everything is there (median of 7)', milliseconds(median(restarts.map(({ opened }) => opened))))
print('restart: every file is checked (median)', milliseconds(restarted))
print('restart: longest time that nothing else ran', milliseconds(Math.max(...restarts.map(({ delay }) => delay))))
print('first scan / restart', `${(first.scanned / restarted).toFixed(1)} times`)

// A file that was touched, as the watcher tells of it; everything that there is; a track and an album by their ids.
const { library } = await openAndScan()
const [track] = library.catalogue.tracks.values()
const [path] = track!.paths
const touched = []
for (let round = 0; round < 7; round++) {
  utimesSync(join(folder, path!), round, round)
  const began = performance.now()
  await library.scan(new Set([dirname(path!)]))
  touched.push(performance.now() - began)
}
print('a touched file (median of 7)', milliseconds(median(touched)))
const read = performance.now()
let all = 0
for (const { title } of library.catalogue.tracks.values()) all += title.length
print(`all tracks are read (${all} letters of titles)`, milliseconds(performance.now() - read))
const timed = (what: string, work: () => unknown) => {
  const began = performance.now()
  for (let round = 0; round < 2000; round++) {
    library.catalogue.changed()
    work()
  }
  print(what, `${((performance.now() - began) / 2000).toFixed(3)} ms`)
}
timed('a track by its id, not kept', () => library.catalogue.tracks.get(track!.id))
timed('a page of 20, not kept', () => library.catalogue.newTracks(20))
print('memory with all of it browsed once', megabytes())

const search = (keyword: string) => library.catalogue.searchTracks(keyword, { limit: 20 })
for (const keyword of [
  'a', 's', 'song album artist', 'love', 'love river', 'straße', 'strase', '花', '春江花月', 'сердце',
  'greensleeves nothing', 'track 01'
]) {
  const times = []
  for (let round = 0; round < 51; round++) {
    const began = performance.now()
    await search(keyword)
    times.push(performance.now() - began)
  }
  print(
    `search ${keyword} (${(await search(keyword)).length} found)`,
    `median ${milliseconds(median(times))}, worst ${milliseconds(times.at(-1)!)}`
  )
}
await library.close()
rmSync(dataDir, { recursive: true })
