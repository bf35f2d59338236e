import { FormatRegistry, Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createYield, type Yield } from 'fastify-source-origin'
import { isExternalId } from 'fastify-source-origin/combine'
import type { CatalogueTrack } from '../catalogue/catalogue-items.ts'
import type { MusicFolder } from '../index/music-folder.ts'
import { fileNameOf } from '../media/file-name.ts'
import { PathFinder } from '../playlists/path-finder.ts'
import { linesOf, pathsOf } from '../playlists/read-playlist.ts'
import { cleanText } from '../scan/clean-tags.ts'
import { StartError } from '../start/start-error.ts'
import { idPattern, isId } from '../catalogue/validate-input.ts'
import { addFavorites } from '../state/favorites.ts'
import type { Entry } from '../catalogue/listened.ts'
import { addPlays } from '../state/kept-plays.ts'
import { newId, type Database } from '../state/state-database.ts'
import type { State } from '../state/state.ts'
import type { Tables } from '../database/tables.ts'
import { artistNames } from '../text/artist-names.ts'

/** Playlists also contain tracks of other sources. */
const isTrack = (id: string) => isId(id) || isExternalId(id)
FormatRegistry.Set('id of a track', isTrack)

const id = Type.RegExp(idPattern)
const text = Type.RegExp(/^[^\0\p{Cs}]*$/u, { maxLength: 10_000 })
const time = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** The schema of an exported account. Times are Unix milliseconds. */
const WholeSchema = Type.Object({
  format: Type.Literal('source-account'),
  version: Type.Literal(1),
  playlists: Type.Array(Type.Object({
    id,
    name: text,
    description: text,
    createdAt: time,
    updatedAt: time,
    tracks: Type.Array(Type.Object({ id: Type.String({ format: 'id of a track' }), title: text }))
  })),
  favorites: Type.Array(Type.Object({
    kind: Type.Union([Type.Literal('track'), Type.Literal('artist'), Type.Literal('album'), Type.Literal('playlist')]),
    id,
    addedAt: time
  })),
  plays: Type.Array(Type.Object({ id, playedAt: time }))
})
type Whole = Static<typeof WholeSchema>

/** Returns all stored data of an account as JSON. */
export function exportAccount (state: State, account: string): Promise<string> {
  return state.whole(account, async db => {
    const playlists = await db.selectFrom('playlist').selectAll().where('account', '=', account)
      .orderBy('created_at').orderBy('id').execute()
    const tracks = await db.selectFrom('playlist_track').innerJoin('playlist', 'playlist.id', 'playlist_track.playlist')
      .select(['playlist', 'track', 'title']).where('account', '=', account).orderBy('place').execute()
    const favorites = await db.selectFrom('favorite').selectAll().where('account', '=', account)
      .orderBy('added_at').orderBy('item').execute()
    const plays = await db.selectFrom('play').selectAll().where('account', '=', account)
      .orderBy('played_at').orderBy('track').execute()
    const entries = new Map<string, Entry[]>(playlists.map(({ id }) => [id, []]))
    for (const { playlist, track, title } of tracks) entries.get(playlist)!.push({ id: track, title })
    const whole: Whole = {
      format: 'source-account',
      version: 1,
      playlists: playlists.map(({ id, name, description, created_at: createdAt, updated_at: updatedAt }) => ({
        id,
        name,
        description,
        createdAt: Number(createdAt),
        updatedAt: Number(updatedAt),
        tracks: entries.get(id)!
      })),
      favorites: favorites.map(({ kind, item, added_at: addedAt }) => ({ kind, id: item, addedAt: Number(addedAt) })),
      plays: plays.map(({ track, played_at: playedAt }) => ({ id: track, playedAt: Number(playedAt) }))
    }
    return JSON.stringify(whole, null, 1)
  })
}

/**
 * Adds the data of a file to an account atomically. A playlist in the file replaces a playlist of the account with the
 * same id.
 *
 * @throws StartError for a file that is not an exported account
 */
export async function importAccount (state: State, account: string, json: string): Promise<string> {
  let whole: unknown
  try {
    whole = JSON.parse(json)
  } catch {
    throw new StartError('This is neither an exported account nor an M3U8 playlist')
  }
  if (!Value.Check(WholeSchema, whole)) {
    const { path, message } = Value.Errors(WholeSchema, whole).First()!
    throw new StartError(`Not an account that this version has exported: ${path || 'the file'}: ${message}`)
  }
  const { playlists, favorites, plays } = whole
  const pause = createYield()
  await state.whole(account, async db => {
    for (const { id, name, description, createdAt, updatedAt, tracks } of playlists) {
      const owner = await db.selectFrom('playlist').select('account').where('id', '=', id).executeTakeFirst()
      const known = owner?.account === account
      // If another account has a playlist with this id, the imported one gets a new id.
      const own = owner === undefined || known ? id : newId()
      if (known) await db.deleteFrom('playlist_track').where('playlist', '=', id).execute()
      if (known) await db.deleteFrom('playlist').where('id', '=', id).execute()
      const times = { created_at: createdAt, updated_at: updatedAt }
      await addPlaylist(db, { id: own, account, name, description, ...times }, tracks, pause)
    }
    await inParts(favorites, pause, part => addFavorites(
      db, part.map(({ kind, id, addedAt }) => ({ account, kind, item: id, added_at: addedAt }))
    ))
    await inParts(plays, pause, part => addPlays(
      db, part.map(({ id, playedAt }) => ({ account, track: id, played_at: playedAt }))
    ))
  })
  return `Playlists: ${playlists.length}, favourites: ${favorites.length}, plays: ${plays.length}`
}

async function addPlaylist (
  db: Database, row: Omit<Tables['playlist'], 'next_place'>, entries: readonly Entry[], pause: Yield
): Promise<void> {
  await db.insertInto('playlist').values({ ...row, next_place: entries.length }).execute()
  const tracks = entries.map(({ id: track, title }, index) => ({ playlist: row.id, track, place: index + 1, title }))
  await inParts(tracks, pause, part => db.insertInto('playlist_track').values(part).execute())
}

/** The maximum number of rows per statement. */
const part = 500

/** Adds rows in parts and yields to the event loop, because the embedded database runs in this thread. */
async function inParts<T> (
  rows: readonly T[], pause: Yield, add: (part: T[]) => Promise<unknown>
): Promise<void> {
  for (let at = 0; at < rows.length; at += part) {
    await add(rows.slice(at, at + part))
    await pause()
  }
}

/** The prefix of a line with the track id of the next line. */
const mark = '#SOURCE-TRACK:'

/** Returns a playlist as M3U8, with paths relative to the music folder. A track with a deleted file has no path. */
export async function exportPlaylist (
  state: State, folder: MusicFolder, account: string, wanted: string
): Promise<{ text: string, file: string }> {
  const playlists = await state.playlists.list(account)
  const [playlist, ...more] = playlists.filter(({ id, name }) => id === wanted || name === wanted)
  if (playlist === undefined) {
    const names = playlists.map(({ name }) => name).join(', ')
    throw new StartError(`${account} has no playlist ${wanted}; it has: ${names || 'none'}`)
  }
  if (more.length > 0) {
    const ids = [playlist, ...more].map(({ id }) => id).join(', ')
    throw new StartError(`${account} has several playlists ${wanted}; give an id: ${ids}`)
  }
  const lines = ['#EXTM3U', `#PLAYLIST:${oneLine(playlist.name)}`]
  const entries = await state.playlists.entries(playlist.id)
  const ids = entries.map(({ id }) => id)
  const tracks = await folder.catalogue.tracks.find(ids)
  const titles = folder.catalogue.goneTitles(ids)
  for (const [place, { id, title }] of entries.entries()) {
    const track = tracks[place]
    lines.push(mark + id, infoOf(track, titles.get(id) ?? title))
    // A line that begins with # is a comment.
    if (track !== undefined) lines.push(track.files[0]!.path.replace(/^#/, './#'))
  }
  return { text: lines.join('\n'), file: `${fileNameOf(playlist.name)}.m3u8` }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

function infoOf (track: CatalogueTrack | undefined, title: string): string {
  const seconds = track === undefined ? -1 : Math.round(track.durationMs / 1000)
  const name = track === undefined
    ? title
    : `${artistNames(track.artists)} - ${track.title}`
  return `#EXTINF:${seconds},${oneLine(name)}`
}

/** Creates a playlist from an M3U8 file, which lists tracks by their ids and by paths in the music folder. */
export async function importPlaylist (
  state: State, folder: MusicFolder, account: string, m3u: string
): Promise<string> {
  const finder = new PathFinder(folder.root, path => folder.catalogue.trackAt(path))
  const entries: Entry[] = []
  let name = 'Imported playlist'
  let marked: { id: string, title: string } | undefined
  let unknown = 0
  const take = () => {
    if (marked !== undefined) entries.push(marked)
    marked = undefined
  }
  for (const line of linesOf(m3u)) {
    if (line.startsWith('#PLAYLIST:')) name = cleanText(line.slice('#PLAYLIST:'.length)) ?? name
    else if (line.startsWith(mark)) {
      take()
      const id = line.slice(mark.length)
      if (isTrack(id)) marked = { id, title: id }
    } else if (line.startsWith('#EXTINF:')) {
      if (marked !== undefined) marked.title = cleanText(line.slice(line.indexOf(',') + 1)) ?? marked.title
    } else if (!line.startsWith('#')) {
      const [track] = pathsOf(line).flatMap(path => finder.find('playlist.m3u8', path) ?? [])
      if (track !== undefined) entries.push({ id: track.id, title: track.title })
      else if (marked === undefined) unknown++
      else take()
      marked = undefined
    }
  }
  take()
  const now = Date.now()
  const row = { id: newId(), account, name, description: '', created_at: now, updated_at: now }
  await state.whole(account, db => addPlaylist(db, row, entries, createYield()))
  return `${name}: tracks: ${entries.length}, files that are not in the music folder: ${unknown}`
}
