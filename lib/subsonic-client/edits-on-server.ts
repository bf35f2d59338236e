import type { Playlist } from '../../schemas/index.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { applyEdit } from '../contract/apply-edit.ts'
import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { FavoriteItem, PlaylistEdit, SourceExtras } from '../contract/source-extras.ts'
import { starred } from './account-on-server.ts'
import { artistIdOf } from './browse-server.ts'
import { makePlaylist, readPlaylist } from './playlists-on-server.ts'
import { isTrack, type RemoteSource } from './subsonic-adapter.ts'
import { listOf, textOf } from './tolerate.ts'
import { notFound } from '../text/not-found.ts'

/** The maximum number of concurrent existence checks. */
const concurrency = 4

const kinds = {
  track: { find: 'getSong', parameter: 'id', list: 'song' },
  album: { find: 'getAlbum', parameter: 'albumId', list: 'album' },
  artist: { find: 'getArtist', parameter: 'artistId', list: 'artist' }
} as const

type Item = FavoriteItem & { readonly kind: keyof typeof kinds }

const isItem = (item: FavoriteItem): item is Item => Object.hasOwn(kinds, item.kind)

/** Checks that the items exist, since servers stop at an unknown id, or skip it. */
async function refuseMissing (source: RemoteSource, items: readonly Item[]): Promise<void> {
  await forEachLimited(items, concurrency, async ({ kind, id }) => {
    try {
      await source.find(kinds[kind].find, { id })
    } catch (error) {
      throw error instanceof NotFoundError ? new NotFoundError(notFound(kind, id)) : error
    }
  })
}

const refuseMissingTracks = (source: RemoteSource, ids: readonly string[]) =>
  refuseMissing(source, [...new Set(ids)].map(id => ({ kind: 'track', id })))

async function makeWhole (source: RemoteSource, edit: PlaylistEdit): Promise<Playlist> {
  const { name = '', description } = edit
  const songId = [...applyEdit([], edit).added]
  await refuseMissingTracks(source, songId)
  const made = await makePlaylist(source, { name, songId })
  if (!description) return { ...source.playlist(made), trackCount: songId.length }
  try {
    await source.make('updatePlaylist', { playlistId: textOf(made.id), comment: description })
  } catch (error) {
    await source.undo('deletePlaylist', { id: textOf(made.id) })
    throw error
  }
  return { ...source.playlist(made), description, trackCount: songId.length }
}

async function changeWhole (source: RemoteSource, id: string, edit: PlaylistEdit): Promise<Playlist> {
  const { entry, ...playlist } = await readPlaylist(source, id)
  // Positions refer to the tracks that a client sees.
  const before = listOf(entry).flatMap((song, place) => isTrack(song) ? [{ id: textOf(song.id), place }] : [])
  const { name, description } = edit
  const { tracks, removed, added } = applyEdit(before.map(track => track.id), edit)
  const known = new Set(before.map(track => track.id))
  await refuseMissingTracks(source, added.filter(track => !known.has(track)))
  await source.make('updatePlaylist', {
    playlistId: id,
    name,
    comment: description,
    songIndexToRemove: removed.map(index => before[index]!.place),
    songIdToAdd: [...added]
  })
  return {
    ...source.playlist(playlist),
    ...name !== undefined && { name },
    ...description !== undefined && { description },
    trackCount: tracks.length
  }
}

/** Methods that change several items: one server call for each change, if the server has such a call. */
export function editsOnServer (source: RemoteSource) {
  return {
    editPlaylist: edit => edit.id === undefined ? makeWhole(source, edit) : changeWhole(source, edit.id, edit),

    async setFavorites (items, status) {
      const known = items.filter(isItem)
      if (known.length < items.length) throw new UnsupportedFeatureError('The server has no favourite playlists')
      const named = await Promise.all(known.map(async ({ kind, id }) =>
        ({ kind, id: kind === 'artist' ? await artistIdOf(source, id) : id })))
      if (status) await refuseMissing(source, named)
      source.client.forget('starred')
      const before = await starred(source)
      // Some servers reject a change to the current state.
      const changed = named.filter(({ kind, id }) =>
        listOf(before[kinds[kind].list]).some(item => textOf(item.id) === id) !== status)
      const query = Object.fromEntries(Object.entries(kinds).map(([kind, { parameter }]) =>
        [parameter, [...new Set(changed.filter(item => item.kind === kind).map(({ id }) => id))]]))
      try {
        if (changed.length > 0) await source.make(status ? 'star' : 'unstar', query)
      } catch (error) {
        await source.undo(status ? 'unstar' : 'star', query)
        throw error
      } finally {
        source.client.forget('starred', ...changed.map(({ id }) => `song ${id}`))
      }
      return { success: true }
    }
  } satisfies SourceExtras
}
