import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BuiltExample } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'
import { PlaylistWriters } from './support/playlist-writers.ts'
import { Random } from './support/random.ts'

export const count = 1000

/**
 * The example, ended by `kill -9` in the middle of writes: what it has answered with 200 is there after the next start.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-durability-'))
  const env = { MUSIC_DIR: join(root, 'music'), DATA_DIR: join(root, 'data') }
  mkdirSync(env.MUSIC_DIR)
  const writers = new PlaylistWriters()
  let written = 0
  let kills = 0
  let example: BuiltExample | undefined
  try {
    for (const seed of rounds) {
      try {
        // The one that writes has to show first what the last one has left.
        example = await BuiltExample.start(env)
        written += await writers.check(example)
        const writing = writers.writeOn([example, example, example, example], `${seed}`)
        // Long enough that writes have begun, as a rule.
        await sleep(30 + new Random(seed).below(150))
        await example.kill()
        kills++
        await writing
      } catch (error) {
        find(String(error))
        return
      }
    }
    example = await BuiltExample.start(env)
    written += await writers.check(example).catch(error => { find(String(error)); return 0 })
    process.stdout.write(`durability: ${kills} kills, ${written} playlists were there\n`)
  } finally {
    await example?.kill()
    rmSync(root, { recursive: true })
  }
}
