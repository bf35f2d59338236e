import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callServer } from '../../example/accounts/control-socket.ts'
import { connectToOwner } from '../../example/database/lock-data-dir.ts'
import { startPostgres } from '../postgres.ts'
import { isMissing } from '../services.ts'
import { BuiltExample } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'
import { PlaylistWriters } from './support/playlist-writers.ts'
import { Random } from './support/random.ts'

export const count = 1000

/** Rounds on one kind of database, before the other one has its turn. */
const atATime = 100
/** Playlists that are written before they are looked at and deleted. */
const mostKept = 200

/**
 * Backups of the example while it writes: one that is there has all that was answered with 200 before it began, and is
 * restored, all or nothing, by an example that has another database. `kill -9` ends either of them in the middle, now
 * and then. The databases are SQLite and PostgreSQL in turns, where that is installed.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-backup-'))
  const teardowns: (() => unknown)[] = []
  const done = { backups: 0, killed: 0, restored: 0, 'killed in a restore': 0 }
  const pairs: { sqlite?: Pair, postgres?: Pair } = {}
  try {
    for (const seed of rounds) {
      const turn = Math.floor(seed / atATime) % 2
      const isPostgres = turn === 1 && !isMissing('PostgreSQL')
      try {
        const pair = isPostgres
          ? pairs.postgres ??= new Pair(root, await makeDatabases(teardown => teardowns.unshift(teardown)), done)
          : pairs.sqlite ??= new Pair(root, ['', ''], done)
        await pair.tryOnce(new Random(seed), join(root, `${seed}.sqlite`))
      } catch (error) {
        find(String(error))
        return
      }
    }
    process.stdout.write(`backup: ${JSON.stringify(done)}\n`)
  } finally {
    await pairs.sqlite?.end()
    await pairs.postgres?.end()
    for (const teardown of teardowns) await teardown()
    rmSync(root, { recursive: true })
  }
}

async function makeDatabases (teardown: (end: () => unknown) => void): Promise<string[]> {
  const { url } = await startPostgres({ teardown })
  const { default: pg } = await import('pg')
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query('create database elsewhere')
  await admin.end()
  return [url, url.replace(/postgres$/, 'elsewhere')]
}

/** An example that writes and one that restores what the other one has backed up. */
class Pair {
  readonly #env: Record<'from' | 'to', { MUSIC_DIR: string, DATA_DIR: string, DATABASE_URL: string }>
  readonly #running: { from?: BuiltExample | undefined, to?: BuiltExample | undefined } = {}
  readonly #writers = new PlaylistWriters()
  readonly #done: Record<string, number>
  #mayHaveLost = false
  /** Names that were restored last. */
  #restored: readonly string[] = []

  constructor (root: string, [from, to]: string[], done: Record<string, number>) {
    this.#done = done
    const envOf = (name: string, DATABASE_URL = '') =>
      ({ MUSIC_DIR: join(root, 'music'), DATA_DIR: join(root, `${name}-${DATABASE_URL !== ''}`), DATABASE_URL })
    this.#env = { from: envOf('from', from), to: envOf('to', to) }
    mkdirSync(this.#env.from.MUSIC_DIR, { recursive: true })
  }

  async tryOnce (random: Random, file: string): Promise<void> {
    const from = await this.#start('from')
    if (this.#mayHaveLost || this.#writers.acknowledged.length > mostKept) {
      await this.#writers.check(from, () => this.#command('from', 'remove', 'owner', 'owner'))
    }
    const writing = this.#writers.writeOn([from, from], file)
    await sleep(random.below(50))
    const before = this.#writers.acknowledged
    const backup = this.#command('from', 'backup', file).then(() => '', ({ message }) => message)
    this.#mayHaveLost = random.chance(1 / 8)
    if (this.#mayHaveLost) {
      await sleep(random.below(40))
      await this.#kill('from')
      this.#done.killed!++
    }
    const failed = await backup
    this.#writers.stop()
    await writing
    if (!this.#mayHaveLost && failed !== '') throw new Error(`a backup fails: ${failed}`)
    if (!existsSync(file)) {
      if (failed === '') throw new Error('a backup that was written is not there')
      return
    }
    this.#done.backups!++
    await this.#restore(random, file, before)
    rmSync(file)
  }

  async #restore (random: Random, file: string, names: readonly string[]): Promise<void> {
    await this.#start('to')
    if (random.chance(1 / 16)) {
      const restoring = this.#command('to', 'restore', file).catch(() => {})
      await sleep(random.below(40))
      await this.#kill('to')
      await restoring
      this.#done['killed in a restore']!++
      const kept = await this.#names()
      const isOld = this.#restored.length === kept.length && this.#restored.every(name => kept.includes(name))
      if (!isOld && names.some(name => !kept.includes(name))) throw new Error('a part of a backup was restored')
    }
    await this.#command('to', 'restore', file)
    const kept = new Set(await this.#names())
    const lost = names.find(name => !kept.has(name))
    if (lost !== undefined) throw new Error(`${lost} was answered with 200, and is not in the backup after it`)
    this.#restored = [...kept]
    this.#done.restored!++
  }

  async #names (): Promise<string[]> {
    const listed: { name: string }[] = await (await this.#start('to')).data('/v1/user/playlist/list')
    return listed.map(({ name }) => name)
  }

  async #start (which: 'from' | 'to'): Promise<BuiltExample> {
    this.#running[which] ??= await BuiltExample.start(this.#env[which])
    return this.#running[which]
  }

  async #kill (which: 'from' | 'to'): Promise<void> {
    await this.#running[which]?.kill()
    this.#running[which] = undefined
  }

  /** As `npm run account` does it. */
  async #command (which: 'from' | 'to', ...args: string[]): Promise<string> {
    const server = await connectToOwner(this.#env[which].DATA_DIR)
    if (server === undefined) throw new Error('there is no server')
    return callServer(server, args, '')
  }

  async end (): Promise<void> {
    await this.#kill('from')
    await this.#kill('to')
  }
}
