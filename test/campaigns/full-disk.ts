import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mp3 } from '../example/make-audio.ts'
import { away, BuiltExample } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'

export const count = 10

/**
 * The example on a disk that is full: writes are answered 503 with one sentence, and 200 again when there is room,
 * without a restart. On a disk that is read-only it does not start, and says so in one line. An index that would fill a
 * small disk leaves it to accounts.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const disk = mkdtempSync(join(tmpdir(), 'campaign-full-disk-'))
  const isMounted = mount('-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk)
  if (!isMounted) process.stdout.write('full-disk: skipped, since only root may mount a small disk\n')
  const env = { MUSIC_DIR: join(disk, 'music'), DATA_DIR: join(disk, 'data') }
  let example: BuiltExample | undefined
  try {
    if (!isMounted) return
    mkdirSync(env.MUSIC_DIR)
    for (const seed of rounds) {
      await trySmall(seed % 2 === 0 ? 1 : 17)
      example = await BuiltExample.start(env)
      await tryFull(example, `List ${seed}`, join(disk, 'filler'))
      await example.kill()
      mount('-o', 'remount,ro', disk)
      const said = await BuiltExample.start(env).then(started => started.kill(), ({ message }) => message)
      mount('-o', 'remount,rw', disk)
      if (!/^DATA_DIR must be a folder that the source may write to: .+$/.test(said ?? '')) {
        throw new Error(`a start on a read-only disk says ${said}`)
      }
    }
  } catch (error) {
    find(String(error))
  } finally {
    await example?.kill()
    if (isMounted) execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  }
}

/** A library whose index is larger than the disk: what accounts change is kept, after a restart too. */
async function trySmall (megabytes: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-small-disk-'))
  const env = { MUSIC_DIR: join(root, 'music'), DATA_DIR: join(root, 'data') }
  for (const folder of Object.values(env)) mkdirSync(folder)
  mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', env.DATA_DIR)
  try {
    for (let at = 0; at < 600; at++) {
      const tags = { title: `Song ${at}`, artist: `Artist ${at % 100}`, album: `Album ${at % 300}` }
      writeFileSync(join(env.MUSIC_DIR, `${at}.mp3`), mp3(tags, { seconds: 0.1 }))
    }
    let kept = 0
    for (let starts = 0; starts < 2; starts++) {
      const example = await BuiltExample.start(env)
      try {
        while (JSON.stringify(await example.call('/ready')).includes('running')) await sleep(100)
        for (let turn = 0; turn < 90; turn++) {
          const { code, message } = await example.call('/v1/playlist/create', { name: `List ${turn}` })
          if (code !== 200) throw new Error(`${megabytes} MB: write ${turn} is answered ${code} ${message}`)
          kept++
        }
        const { length } = await example.data('/v1/user/playlist/list')
        if (length !== kept) throw new Error(`${megabytes} MB: ${kept} playlists were made, ${length} are there`)
      } finally {
        await example.kill()
      }
    }
  } finally {
    execFileSync('umount', [env.DATA_DIR])
    rmSync(root, { recursive: true })
  }
}

/** @returns whether it could be done */
function mount (...args: string[]): boolean {
  try {
    execFileSync('mount', args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function tryFull (example: BuiltExample, name: string, filler: string): Promise<void> {
  const before: { id: string }[] = await example.data('/v1/user/playlist/list')
  const kept = before.map(({ id }) => id)
  try {
    writeFileSync(filler, Buffer.alloc(8 * 2 ** 20))
    throw new Error('The disk does not become full')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
  const { code, message } = await writeUntilFull(example, name, kept)
  if (code !== 503 || message !== away) throw new Error(`a write to a full disk is answered ${code} ${message}`)
  await example.data('/v1/user/playlist/list')
  rmSync(filler)
  kept.push((await example.data('/v1/playlist/create', { name: 'Room' })).id)
  const listed: { id: string }[] = await example.data('/v1/user/playlist/list')
  const isSame = listed.map(({ id }) => id).sort().join() === kept.sort().join()
  if (!isSame) throw new Error('playlists are not what was answered')
  for (const id of kept) await example.data('/v1/playlist/delete', { id })
}

/** Writes what needs room. @returns the first answer that is no success */
async function writeUntilFull (example: BuiltExample, name: string, kept: string[]) {
  for (let turn = 0; turn < 200; turn++) {
    const made = await example.call('/v1/playlist/create', { name })
    if (made.code !== 200) return made
    kept.push(made.data.id)
    const texts = { name, description: 'x'.repeat(9000) }
    const updated = await example.call('/v1/playlist/update', { id: made.data.id, ...texts })
    if (updated.code !== 200) return updated
  }
  throw new Error('Writes go on on a full disk')
}
