import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { song as audioOf } from '../example/make-audio.ts'
import { token } from '../helper.ts'
import { BuiltExample, busy } from './support/built-example.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 100

/** Milliseconds in which the source has to know what is in the folder. */
const seenWithin = 60_000
const songsOfFolder = 10
const kinds = ['move', 'retag', 'both', 'rip', 'replace', 'copy', 'delete'] as const

/** A file with its copies, and what the account has collected of it. Its id is the one that was given out first. */
interface Song {
  readonly id: string
  audio: number
  title: string
  paths: string[]
  isStarred: boolean
  rating: number
  plays: number
  /** When it was played last. */
  played: string
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
  // The name of a folder that is a number tells a disc.
  const newPath = () => `Folder ${'abc'[random.below(3)]}/${++made}.mp3`
  const placeOf = (path: string) => {
    const place = join(env.MUSIC_DIR, path)
    mkdirSync(dirname(place), { recursive: true })
    return place
  }
  const write = ({ paths, title, audio }: Pick<Song, 'paths' | 'title' | 'audio'>) => {
    for (const path of paths) writeFileSync(placeOf(path), audioOf({ title, artist: 'Ann', album: 'All' }, audio))
  }
  const move = (song: Song) => {
    song.paths = song.paths.map(from => {
      const to = newPath()
      renameSync(placeOf(from), placeOf(to))
      return to
    })
  }
  const retag = (song: Song) => {
    song.title = `Song ${++made}`
    write(song)
  }
  const sing = (song: Song) => {
    song.audio = ++made
    write(song)
  }
  /** One of path, audio and tags stays. */
  const changes: Record<typeof kinds[number], (song: Song) => void> = {
    move,
    retag,
    both (song) { move(song); retag(song) },
    rip (song) { move(song); sing(song) },
    replace (song) { retag(song); sing(song) },
    copy (song) {
      const copy = newPath()
      copyFileSync(placeOf(song.paths[0]!), placeOf(copy))
      song.paths.push(copy)
    },
    delete (song) { rmSync(placeOf(song.paths.splice(random.below(song.paths.length), 1)[0]!)) }
  }

  const rest = async (method: string, more: Record<string, string> = {}): Promise<any> => {
    const query = new URLSearchParams({ f: 'json', u: 'x', p: token, c: 'app', ...more })
    const ask = async () => await (await example!.fetch(`/rest/${method}?${query}`)).json() as Record<string, any>
    let told = await ask()
    for (; told.message === busy; told = await ask()) await sleep(200)
    const { 'subsonic-response': answer } = told
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
      ({ audio: ++made, title: `Song ${made}`, paths: [newPath()] }))
    files.forEach(write)
    example = await BuiltExample.start(env)
    const ids = await seen(files.map(({ title }) => title))
    const songs: Song[] = files.map(file =>
      ({ ...file, id: ids.get(file.title)!, isStarred: false, rating: 0, plays: 0, played: '' }))
    const { playlist: { id: playlistId } } = await rest('createPlaylist', { name: 'All' })
    const listed: Song[] = []
    const list = async (song: Song) => {
      const at = listed.indexOf(song)
      const isListed = at !== -1
      if (isListed) listed.splice(at, 1)
      else listed.push(song)
      const change = isListed ? { songIndexToRemove: String(at) } : { songIdToAdd: song.id }
      await rest('updatePlaylist', { playlistId, ...change })
    }
    for (const song of songs) await list(song)

    for (const seed of rounds) {
      random = new Random(seed)
      for (const song of songs.filter(({ paths }) => paths.length > 0)) {
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
          song.played = new Date(time * 1000).toISOString()
          await rest('scrobble', { id, time: `${time}000` })
        }
        if (random.chance(0.1)) await list(song)
      }
      const isAway = random.chance(0.5)
      if (isAway) await example.kill()
      for (const song of songs) {
        if (random.chance(0.4)) continue
        if (song.paths.length > 0) changes[random.pick(kinds)](song)
        else {
          song.paths = [newPath()]
          write(song)
        }
      }
      if (!isAway) await rest('startScan')
      for (let kills = random.below(3); kills > 0; kills--) {
        if (!isAway || kills > 1) await sleep(random.below(400))
        await example.kill()
        example = await BuiltExample.start(env)
      }
      if (isAway || random.chance(0.2)) {
        await example.kill()
        example = await BuiltExample.start(env)
      }
      const there = songs.filter(({ paths }) => paths.length > 0)
      await seen(there.map(({ title }) => title))
      const { playlist: { entry = [] } } = await rest('getPlaylist', { id: playlistId })
      const titles = entry.map(({ title }: { title: string }) => title)
      // One that is gone has the title that it had last.
      const wantedTitles = listed.map(({ title }) => title)
      if (String(titles) !== String(wantedTitles)) find(`The playlist has ${titles} and not ${wantedTitles}`)
      for (const { id, title, isStarred, rating, plays, played } of there) {
        const { song } = await rest('getSong', { id })
        const has = [
          song.title, song.starred !== undefined, song.userRating ?? 0, song.playCount ?? 0, song.played ?? '']
        const wanted = [title, isStarred, rating, plays, played]
        if (String(has) !== String(wanted)) find(`${id} has ${has.join(', ')} and not ${wanted.join(', ')}`)
      }
    }
  } catch (error) {
    find(String(error))
  } finally {
    await example?.kill()
    rmSync(root, { recursive: true, force: true })
  }
}
