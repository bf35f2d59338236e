import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { readFiles, type ReadOutcome } from '../../example/scan/read-files.ts'
import { mp3, opus, wav } from '../example/make-audio.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 2000

/** Seconds of processor time that a small file may take at most. Files take milliseconds. */
const mostSeconds = 5

/** Audio files with wrong bytes: each is read or refused, in a short time. */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const demo = 'example/music'
  const tags = {
    title: 'Title',
    artist: 'Artist',
    album: 'Album',
    track: '1/2',
    date: '2001',
    lyrics: 'a line',
    picture: Buffer.alloc(500)
  }
  const samples = [
    ...readdirSync(demo, { recursive: true }).map(String).filter(file => /\.(flac|m4a|mp3|ogg|opus)$/.test(file))
      .map(file => ({ type: extname(file), bytes: readFileSync(join(demo, file)) })),
    { type: '.mp3', bytes: mp3(tags) }, { type: '.wav', bytes: wav(tags) }, { type: '.opus', bytes: opus(tags) }
  ]
  const folder = mkdtempSync(join(tmpdir(), 'campaign-files-'))
  try {
    for (const seed of rounds) {
      const random = new Random(seed)
      const { type, bytes } = random.pick(samples)
      const path = `file${random.chance(0.9) ? type : random.pick(samples).type}`
      const mutated = mutate(random, bytes, random.pick(samples).bytes)
      writeFileSync(join(folder, path), mutated)
      const before = process.cpuUsage()
      let outcome: ReadOutcome | undefined
      await readFiles(
        folder, only({ path, size: mutated.length, mtimeMs: 0 }), new AbortController().signal,
        (_found, read) => { outcome = read }
      )
      const { user, system } = process.cpuUsage(before)
      if (user + system > mostSeconds * 1e6) find(`${path} took ${(user + system) / 1e6} s`)
      const problem = problemOf(outcome)
      if (problem !== undefined) find(`${path} ${problem}`)
      rmSync(join(folder, path))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function * only<T> (item: T) { yield item }

function mutate (random: Random, bytes: Buffer, other: Buffer): Buffer {
  let copy = Buffer.from(bytes)
  // Headers and last pages are where parsers look.
  const place = () => random.chance(0.7)
    ? random.below(Math.min(4096, copy.length))
    : random.chance(0.5) ? Math.max(0, copy.length - 1 - random.below(4096)) : random.below(copy.length)
  for (let changes = 1 + random.below(10); changes > 0; changes--) {
    if (copy.length < 8) break
    const at = place()
    const kind = random.below(7)
    if (kind === 0) copy = copy.subarray(0, at)
    else if (kind === 1) {
      copy = Buffer.concat([
        copy.subarray(0, at), other.subarray(random.below(other.length)).subarray(0, random.below(10_000)),
        copy.subarray(at)
      ])
    } else if (kind === 2) {
      copy =
      Buffer.concat([copy.subarray(0, at), copy.subarray(Math.min(copy.length, at + random.below(2000)))])
    } else if (kind === 3) copy.fill(random.pick([0, 0xff, 0x20]), at, Math.min(copy.length, at + random.below(64)))
    else if (kind === 4 && at + 4 <= copy.length) {
      copy.writeUInt32BE(random.pick([0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0]), at)
    } else if (kind === 5) copy = Buffer.concat([copy, Buffer.alloc(random.below(5000))])
    else copy[at] = random.below(256)
  }
  return copy
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''

function problemOf (outcome: ReadOutcome | undefined): string | undefined {
  if (outcome === undefined) return 'has no outcome'
  const { file, error, mayRecover } = outcome
  if (file === undefined) {
    return error instanceof Error &&
    mayRecover === false
      ? undefined
      : `was refused by ${error?.stack ?? error}`
  }
  if (!Number.isSafeInteger(file.durationMs) || file.durationMs < 0) return `has the duration ${file.durationMs}`
  if (file.bitrate !== null && !(Number.isSafeInteger(file.bitrate) && file.bitrate > 0)) {
    return `has the bitrate ${file.bitrate}`
  }
  for (const [name, number] of Object.entries({
    trackNumber: file.trackNumber, discNumber: file.discNumber, year: file.year, publishTime: file.publishTime
  })) {
    if (number !== undefined && !Number.isSafeInteger(number)) return `has the ${name} ${number}`
  }
  return isText(file.title) ? undefined : `has the title ${file.title}`
}
