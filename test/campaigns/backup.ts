import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BuiltExample } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'
import { PlaylistWriters } from './support/playlist-writers.ts'
import { Random } from './support/random.ts'

export const count = 1000

/**
 * Backups of the example while it writes, ended by `kill -9` at any moment: one that is there has all that was answered
 * with 200 before it began, and is restored by an example that has another folder.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-backup-'))
  const env = { MUSIC_DIR: join(root, 'music'), DATA_DIR: join(root, 'data') }
  const elsewhere = { ...env, DATA_DIR: join(root, 'elsewhere') }
  mkdirSync(env.MUSIC_DIR)
  const writers = new PlaylistWriters()
  let restored = 0
  let example: BuiltExample | undefined
  try {
    for (const seed of rounds) {
      const file = join(root, `${seed}.sqlite`)
      try {
        example = await BuiltExample.start(env)
        await writers.check(example)
        const writing = writers.writeOn([example, example, example, example], `${seed}`)
        await sleep(30)
        const before = writers.acknowledged
        const backup = account(env, 'backup', file)
        // Every third one is ended in the middle of it, as a rule.
        await Promise.race([backup, ...seed % 3 === 0 ? [sleep(200 + new Random(seed).below(400))] : []])
        await example.kill()
        await writing
        const failed = await backup
        if (failed === undefined && !existsSync(file)) throw new Error('a backup that was written is not there')
        if (existsSync(file)) {
          await checkRestored(elsewhere, file, before)
          restored++
          rmSync(file)
        }
      } catch (error) {
        find(String(error))
        return
      }
    }
    process.stdout.write(`backup: ${restored} were restored\n`)
  } finally {
    await example?.kill()
    rmSync(root, { recursive: true })
  }
}

/** Runs a command of the accounts. @returns what it has said, if it failed */
async function account (env: Record<string, string>, ...args: string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, ['dist/example/account.js', ...args], {
    env: { ...process.env, INIT_CWD: '', DATABASE_URL: '', ...env }, stdio: ['ignore', 'ignore', 'pipe']
  })
  let said = ''
  child.stderr.on('data', data => { said += data })
  const [code] = await once(child, 'close')
  return code === 0 ? undefined : said
}

async function checkRestored (env: Record<string, string>, file: string, names: readonly string[]): Promise<void> {
  const failed = await account(env, 'restore', file)
  if (failed !== undefined) throw new Error(`a backup is not restored: ${failed}`)
  const example = await BuiltExample.start(env)
  try {
    const kept: { name: string }[] = await example.data('/v1/user/playlist/list')
    const lost = names.find(name => !kept.some(playlist => playlist.name === name))
    if (lost !== undefined) throw new Error(`${lost} was answered with 200, and is not in the backup after it`)
  } finally {
    await example.kill()
  }
}
