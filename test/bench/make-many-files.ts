/**
 * Makes many small MP3 files, ten on an album: `node test/bench/make-many-files.ts FOLDER [TRACKS]` (Node 22 or later).
 *
 * 100,000 tracks without the second argument. Each 100,000 are in a folder of their own, which `library.ts` measures
 * too. The same on every run.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mp3 } from '../example/make-audio.ts'

const perAlbum = 10
const perFolder = 100_000
const genres = ['Rock', 'Pop', 'Jazz', 'Classical', 'Folk', 'Electronic', 'Hip-Hop', 'World', 'Ambient', 'Metal']

const target = process.argv[2]!
const total = Number(process.argv[3] ?? perFolder)

for (let number = 0; number < total / perAlbum; number++) {
  const [artist, album] = [`Artist ${Math.floor(number / 20)}`, `Album ${number}`]
  const folder = join(target, `${Math.floor(number * perAlbum / perFolder)}`, artist, album)
  mkdirSync(folder, { recursive: true })
  for (let track = 1; track <= perAlbum; track++) {
    const more = { track: `${track}`, date: `${1970 + number % 50}`, genre: genres[number % genres.length]! }
    const tags = { artist, album, title: `Song ${number} ${track}`, ...more }
    writeFileSync(join(folder, `${track}.mp3`), mp3(tags, { seconds: 0.1 }))
  }
}
