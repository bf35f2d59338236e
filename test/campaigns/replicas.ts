import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mp3 } from '../example/make-audio.ts'
import { startPostgres } from '../postgres.ts'
import type { Service } from '../service.ts'
import { BuiltExample } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'
import { liveOnBoth } from './support/on-both.ts'
import { PlaylistWriters } from './support/playlist-writers.ts'
import { Random } from './support/random.ts'
import type { World } from './support/app-model.ts'

export const count = 100

const writersOfTracks = 20
const tracksOfEach = 5

/**
 * Two processes on one PostgreSQL: each sees at once what the other has written, and shows of an account what a model
 * of it has, by `/rest`, `/v1` and the page; writers on one playlist lose nothing. What was
 * answered with 200 is there after `kill -9` of one of them, or of PostgreSQL, in the middle of writes.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-replicas-'))
  const teardowns: (() => unknown)[] = []
  const music = join(root, 'music')
  mkdirSync(music)
  for (let file = 0; file < writersOfTracks * tracksOfEach; file++) {
    const tags = { title: `Song ${file}`, artist: `Artist ${file % 2}`, album: `Album ${file % 4}` }
    writeFileSync(join(music, `${file}.mp3`), mp3(tags, { seconds: 30 }))
  }
  writeFileSync(join(music, 'Folder.m3u8'), '0.mp3\n1.mp3\n')
  const replicas: BuiltExample[] = []
  try {
    const postgres = await startPostgres({ teardown: end => { teardowns.unshift(end) } })
    const start = (name: string) =>
      BuiltExample.start({ MUSIC_DIR: music, DATA_DIR: join(root, name), DATABASE_URL: postgres.url, PAGE: 'true' })
    replicas.push(...await Promise.all(['one', 'other'].map(start)))
    const one = replicas[0]!
    const world = await worldOf(one)
    const kills = { source: 0, postgres: 0 }
    for (const seed of rounds) {
      try {
        await seeEachOther(one, replicas[1]!)
        await liveOnBoth(replicas, join(root, 'one'), world, new Random(seed), `user ${seed}`)
        await fillTogether([one, replicas[1]!])
        const writers = new PlaylistWriters()
        const random = new Random(seed)
        const writing = writers.writeOn([...replicas, ...replicas, ...replicas], `${seed}`)
        await sleep(random.below(200))
        if (seed % 2 === 0) {
          await replicas[1]!.kill()
          kills.source++
        } else {
          await restart(postgres)
          kills.postgres++
        }
        await sleep(random.below(100))
        writers.stop()
        await writing
        if (seed % 2 === 0) replicas[1] = await start('other')
        else await Promise.all(replicas.map(untilBack))
        await writers.check(random.chance(0.5) ? one : replicas[1]!)
      } catch (error) {
        find(String(error))
        return
      }
    }
    process.stdout.write(`replicas: ${kills.source} kills of a source, ${kills.postgres} of PostgreSQL\n`)
  } finally {
    for (const replica of replicas) await replica.kill()
    for (const end of teardowns) await end()
    rmSync(root, { recursive: true })
  }
}

/** A few of the tracks, and the playlist of the folder. */
async function worldOf (example: BuiltExample): Promise<World> {
  const { items } = await example.data('/v1/search/tracks?keyword=song&limit=6')
  const tracks = items.map(({ id, album, artists: [artist] }: any) => ({ id, album: album.id, artist: artist.id }))
  const [{ id: folderList }] = (await example.data('/v1/playlist/list')).items
  return { tracks, folderList, gone: new Set() }
}

async function restart (postgres: Service): Promise<void> {
  postgres.signal('SIGKILL')
  // Its processes are gone then.
  await postgres.stop()
  await postgres.start()
}

/** PostgreSQL may refuse connections while it looks through its log. */
async function untilBack (example: BuiltExample): Promise<void> {
  while ((await example.call('/v1/user/me')).code === 503) await sleep(20)
}

/** Every write is seen by the other one in its next answer. */
async function seeEachOther (one: BuiltExample, other: BuiltExample): Promise<void> {
  const { items: [track] } = await one.data('/v1/search/tracks?keyword=song&limit=1')
  for (const [writer, reader] of [[one, other], [other, one]] as const) {
    const { id } = await writer.data('/v1/playlist/create', { name: 'Seen' })
    const tracks = async () => (await reader.data(`/v1/playlist/detail?id=${id}`)).tracks.length
    if (await tracks() !== 0) throw new Error('a new playlist has tracks')
    await writer.data('/v1/playlist/addTrack', { playlistId: id, trackId: track.id })
    if (await tracks() !== 1) throw new Error('a track that was added is not seen by the other process')
    for (const status of [true, false]) {
      await writer.data('/v1/track/favorite', { id: track.id, status })
      const { favorite } = await reader.data(`/v1/track?id=${track.id}`)
      if (favorite !== status) throw new Error('a favourite is not seen by the other process')
    }
    await writer.data('/v1/playlist/delete', { id })
    if ((await reader.call(`/v1/playlist/detail?id=${id}`)).code !== 404) throw new Error('a deleted playlist is there')
  }
}

/** Writers over all processes add tracks to one playlist: all are kept, once each, in the order of the answers. */
async function fillTogether (replicas: readonly BuiltExample[]): Promise<void> {
  const tracks: { id: string }[] = (await replicas[0]!.data('/v1/search/tracks?keyword=song&limit=100')).items
  const { id: playlistId } = await replicas[0]!.data('/v1/playlist/create', { name: 'Together' })
  let clock = 0
  const added: { id: string, asked: number, answered: number }[] = []
  await Promise.all(Array.from({ length: writersOfTracks }, async (_, writer) => {
    for (const { id } of tracks.slice(writer * tracksOfEach, (writer + 1) * tracksOfEach)) {
      const asked = clock++
      await replicas[writer % replicas.length]!.data('/v1/playlist/addTrack', { playlistId, trackId: id })
      added.push({ id, asked, answered: clock++ })
    }
  }))
  for (const replica of replicas) {
    const detail: { tracks: { id: string }[] } = await replica.data(`/v1/playlist/detail?id=${playlistId}`)
    const kept = detail.tracks.map(({ id }) => id)
    if (new Set(kept).size < kept.length) throw new Error('a track is twice in the playlist')
    if (kept.length !== added.length) throw new Error(`${kept.length} of ${added.length} tracks are in the playlist`)
    // One that was answered before another was asked for comes before it.
    const places = new Map(kept.map((id, place) => [id, place]))
    const isWrong = added.some(first => added.some(next =>
      first.answered < next.asked && places.get(first.id)! > places.get(next.id)!))
    if (isWrong) throw new Error('tracks are not in the order of the answers')
  }
  await replicas[0]!.data('/v1/playlist/delete', { id: playlistId })
}
