import type { Track } from '../../../client/index.ts'
import { ask } from './sources.ts'
import { tracksOf } from './tidy.ts'

/** Tracks of an artist or a toplist that are asked for. */
const most = 100

/** The tracks of what a card stands for. */
export async function loadTracksOf (
  view: 'album' | 'artist' | 'playlist' | 'toplist', id: string
): Promise<readonly Track[]> {
  const { tracks } = await ask<{ tracks?: unknown }>(client => ({
    album: () => client.getAlbumDetail(id, -1),
    artist: () => client.getArtistDetail(id, most),
    playlist: () => client.getPlaylistDetail(id, -1),
    toplist: () => client.getToplistTracks(id, 0, most)
  })[view]())
  return tracksOf(tracks)
}
