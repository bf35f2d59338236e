import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { song as audioOf } from '../example/make-audio.ts'
import { token } from '../helper.ts'
import { BuiltExample } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 100

/** Milliseconds in which the source has to know what is in the folder. */
const seenWithin = 60_000
const songsOfFolder = 10
const kinds = ['move', 'retag', 'both', 'rip', 'delete'] as const

/** A file, and what the account has collected of it. Its id is the one that was given out first. */
interface Song {
  readonly id: string
  audio: number
  title: string
  path: string | undefined
  isStarred: boolean
  rating: number
  plays: number
}

/**
 * A folder that is tidied while the example runs or is away, which is ended by `kill -9` while it scans: by the ids
 * that were given out first everything that an account has collected is there, of the files as they are now. Each
 * round goes on with what the one before has left.
 */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-tidying-'))
  let random = new Random(0)
  const env = { MUSIC_DIR: join(root, 'music'), DATA_DIR: join(root, 'data') }
  let made = 0
  let time = 1_735_689_600
  let example: BuiltExample | undefined
  const newPath = () => `${random.below(3)}/${++made}.mp3`
  const write = ({ path, title, audio }: Pick<Song, 'path' | 'title' | 'audio'>) => {
    const place = join(env.MUSIC_DIR, path!)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, audioOf({ title, artist: 'Ann', album: 'All' }, audio))
  }
  const move = (song: Song) => {
    const from = join(env.MUSIC_DIR, song.path!)
    song.path = newPath()
    mkdirSync(dirname(join(env.MUSIC_DIR, song.path)), { recursive: true })
    renameSync(from, join(env.MUSIC_DIR, song.path))
  }
  /** One of path, audio and tags stays. */
  const changes: Record<typeof kinds[number], (song: Song) => void> = {
    move,
    retag (song) { song.title = `Song ${++made}`; write(song) },
    both (song) { move(song); this.retag(song) },
    rip (song) { move(song); song.audio = ++made; write(song) },
    delete (song) { rmSync(join(env.MUSIC_DIR, song.path!)); song.path = undefined }
  }

  const rest = async (method: string, more: Record<string, string> = {}): Promise<any> => {
    const query = new URLSearchParams({ f: 'json', u: 'x', p: token, c: 'app', ...more })
    const { 'subsonic-response': answer } =
      await (await example!.fetch(`/rest/${method}?${query}`)).json() as Record<string, any>
    if (answer.status !== 'ok') throw new Error(`${method} ${more.id}: ${answer.error.message}`)
    return answer
  }
  const found = async (): Promise<Map<string, string>> => {
    const { searchResult3: { song = [] } } = await rest('search3', { query: '', songCount: '500' })
    return new Map(song.map(({ title, id }: { title: string, id: string }) => [title, id]))
  }
  /** Waits until the source has seen these titles, and no others. */
  const seen = async (titles: readonly string[]): Promise<Map<string, string>> => {
    const from = performance.now()
    for (;;) {
      const ids = await found()
      if (ids.size === titles.length && titles.every(title => ids.has(title))) return ids
      if (performance.now() - from > seenWithin) {
        throw new Error(`There are ${titles.join()}, and seen are ${[...ids.keys()].join()}`)
      }
      await sleep(50)
    }
  }

  try {
    const files = Array.from({ length: songsOfFolder }, () =>
      ({ audio: ++made, title: `Song ${made}`, path: newPath() as string | undefined }))
    files.forEach(write)
    example = await BuiltExample.start(env)
    const ids = await seen(files.map(({ title }) => title))
    const songs: Song[] = files.map(file =>
      ({ ...file, id: ids.get(file.title)!, isStarred: false, rating: 0, plays: 0 }))
    const { playlist: { id: playlistId } } = await rest('createPlaylist', { name: 'All' })
    for (const { id } of songs) await rest('updatePlaylist', { playlistId, songIdToAdd: id })

    for (const seed of rounds) {
      random = new Random(seed)
      for (const song of songs.filter(({ path }) => path !== undefined)) {
        const { id } = song
        if (random.chance(0.3)) {
          song.isStarred = !song.isStarred
          await rest(song.isStarred ? 'star' : 'unstar', { id })
        }
        if (random.chance(0.3)) {
          song.rating = 1 + random.below(5)
          await rest('setRating', { id, rating: String(song.rating) })
        }
        if (random.chance(0.3)) {
          time += 1000
          song.plays++
          await rest('scrobble', { id, time: `${time}000` })
        }
      }
      const isAway = random.chance(0.5)
      if (isAway) await example.kill()
      for (const song of songs) {
        if (random.chance(0.4)) continue
        if (song.path !== undefined) changes[random.pick(kinds)](song)
        else {
          song.path = newPath()
          write(song)
        }
      }
      if (!isAway) await rest('startScan')
      for (let kills = random.below(3); kills > 0; kills--) {
        if (!isAway || kills > 1) await sleep(random.below(400))
        await example.kill()
        example = await BuiltExample.start(env)
      }
      await example.kill()
      example = await BuiltExample.start(env)
      const there = songs.filter(({ path }) => path !== undefined)
      await seen(there.map(({ title }) => title))
      const { playlist: { entry = [] } } = await rest('getPlaylist', { id: playlistId })
      const inPlaylist = entry.map(({ title }: { title: string }) => title)
      for (const { id, title, isStarred, rating, plays } of there) {
        const { song } = await rest('getSong', { id })
        const has = [song.title, song.starred !== undefined, song.userRating ?? 0, song.playCount ?? 0]
        const wanted = [title, isStarred, rating, plays]
        if (String(has) !== String(wanted)) find(`${id} has ${has.join(', ')} and not ${wanted.join(', ')}`)
        if (!inPlaylist.includes(title)) find(`${title} is not in the playlist any more`)
      }
    }
  } catch (error) {
    find(String(error))
  } finally {
    await example?.kill()
    rmSync(root, { recursive: true, force: true })
  }
}
