/**
 * Searches a library of 100,000 tracks for a page of 20: `npm run build && node test/bench/search.ts [TRACKS]` (Node 22
 * or later).
 *
 * Prints the median and the longest wall time of each kind of keyword, and the longest time that nothing else ran
 * meanwhile; passes and fails nothing. The same library on every run.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Catalogue as CatalogueClass } from '../../example/catalogue/catalogue.ts'
import type { changeIndex as change } from '../../example/catalogue/change-index.ts'
import type { AudioFile } from '../../example/scan/read-audio-file.ts'
import type { openIndex as open } from '../../example/index/open-index.ts'
import { Random } from '../campaigns/support/random.ts'

const built = (file: string) => import(join(import.meta.dirname, '../../dist/example', file))
const { Catalogue } = await built('catalogue/catalogue.js') as { Catalogue: typeof CatalogueClass }
const { changeIndex } = await built('catalogue/change-index.js') as { changeIndex: typeof change }
const { openIndex } = await built('index/open-index.js') as { openIndex: typeof open }
const total = Number(process.argv[2] ?? 100_000)
const random = new Random(1)

/** Words as languages have them: some are everywhere, most are rare. */
const syllables = 'ba ke li no ru sta tri wo mun del gar fi pho zen ra sil ver mo ton gu har lan pe quo'.split(' ')
const words = ['the', 'love', 'a', 'of', 'you', 'greensleeves', ...Array.from({ length: 60_000 }, () =>
  Array.from({ length: 1 + random.below(4) }, () => random.pick(syllables)).join('') +
    random.pick(['', '', 's', 'é', 'n']))]
const common = (limit: number) => Math.floor(limit ** random.next()) - 1
const han = () => String.fromCodePoint(0x4e00 + common(6000))
const phrase = (count: number) => random.chance(0.15)
  ? Array.from({ length: 2 * count }, han).join('')
  : Array.from({ length: count }, () => words[common(words.length)]).join(' ')

const everything =
  `greensleeves ${[...'bklnrstwmdgfpzvhqat'].map(letter => words.find(word => word.startsWith(letter))).join(' ')}`

const albums = Array.from({ length: total / 10 }, () =>
  ({ artist: phrase(1 + random.below(2)), album: phrase(1 + random.below(4)) }))
const files = Array.from({ length: total }, (_, at): AudioFile => {
  const { artist, album } = albums[Math.floor(at / 10)]!
  const title = at % 1000 === 0 ? everything : phrase(1 + random.below(5))
  return {
    path: `${Math.floor(at / 10)}/${at}.mp3`,
    size: 1,
    mtimeMs: 1,
    trackId: createHash('sha1').update(String(at)).digest('hex').slice(0, 20),
    title,
    artists: [artist],
    album,
    albumArtists: [artist],
    genres: ['Pop'],
    trackNumber: at % 10 + 1,
    durationMs: 1,
    format: 'mp3',
    lossless: false,
    bitrate: 1,
    audio: '',
    added: 1
  }
})

const delay = monitorEventLoopDelay({ resolution: 1 })
const milliseconds = (value: number) => `${value.toFixed(1)} ms`.padStart(10)
/** Prints how long it takes, and the longest time without a turn in it. */
async function measure (what: string, times: number, work: () => unknown): Promise<void> {
  const took: number[] = []
  let most = 0
  await new Promise(setImmediate)
  delay.enable()
  delay.reset()
  for (let round = 0; round < times; round++) {
    const began = performance.now()
    const before = process.cpuUsage()
    await work()
    took.push(performance.now() - began)
    const { user, system } = process.cpuUsage(before)
    most = Math.max(most, (user + system) / 1000)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  delay.disable()
  took.sort((a, b) => a - b)
  const median = milliseconds(took[took.length >> 1]!)
  process.stdout.write(
    `${what.padEnd(52)} median ${median}, longest ${milliseconds(took.at(-1)!)}, processor ${milliseconds(most)}, blocked ${milliseconds(delay.max / 1e6)}\n`
  )
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const db = openIndex(folder, { warn () {} })
const catalogue = new Catalogue(db)
await measure(`a library of ${total}`, 1, async () => {
  for (let from = 0; from < total; from += 50) {
    db.transaction(() => changeIndex(db, { files: files.slice(from, from + 50) }))
    await new Promise(setImmediate)
  }
})
const search = (keyword: string) => catalogue.searchTracks(keyword, { limit: 20 })

const long = words.filter(word => word.length >= 8)
const swapped = (word: string) => word.slice(0, 3) + word[4] + word[3] + word.slice(5)
const keywords: Record<string, string> = {
  'a common word': 'the',
  'several common words': 'the love of you',
  'one letter': 's',
  'several letters': 's l g r m d w t',
  'a CJK character': String.fromCodePoint(0x4e00),
  'several CJK characters': Array.from({ length: 6 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''),
  '20 letters that are nowhere': 'qwertzuiopasdfghjkly',
  'a typing error': swapped(long[0]!),
  'typing errors in several words': long.slice(0, 4).map(swapped).join(' '),
  '20 typing errors in one word': Array.from(
    { length: 20 }, (_, at) => `greensl${String.fromCodePoint(0x3b1 + at)}eves`
  ).join(' '),
  'typing errors in 20 words': long.slice(0, 20).map(swapped).join(' '),
  '20 letters with a typing error each': Array.from({ length: 20 }, (_, at) => `${words[at * 5 + 20]}x`).join(' '),
  '18 beginnings': [...'gbklnrstwmdfpzvhqa'].join(' ')
}
for (const [what, keyword] of Object.entries(keywords)) {
  await measure(`${what} (${(await search(keyword)).length})`, 50, () => search(keyword))
}
// What people type is new each time.
await measure('names of tracks', 500, () => search(random.pick(files).title))
await measure('names of tracks with a typing error', 500, () => search(swapped(random.pick(long))))
db.close()
rmSync(folder, { recursive: true })
