import { restData, type Listener } from './listener.ts'
import type { Home, House } from './house.ts'
import type { Found } from './find.ts'
import { music } from './music.ts'

/** What the owner has at each server, made there. */
export async function prepare ({ owner, there }: Home): Promise<void> {
  // What supysonic does not tell of songs: plays.
  const [, heard] = music.attic
  const id = await idOf(there.attic, heard!.title)
  for (const time of [1, 2, 3]) await there.attic.rest('scrobble', { id, time: Date.now() - time * 3_600_000 })
  await there.attic.rest('setRating', { id, rating: 5 })
  await there.attic.rest('star', { id })
  await playlists(owner, music.home[1]!.title, 'Hearth')
  await playlists(there.subsonic, music.subsonic[5]!.title, 'Harbour')
  await playlists(there.attic, music.attic[1]!.title, 'Attic')
  await playlist(there.friend, music.friend[1]!.title, 'Meadow private', false)
}

/** What others have. */
export async function prepareOthers ({ adult, there, friend }: House): Promise<void> {
  await playlists(there.tina, music.subsonic[6]!.title, 'Harbour tina')
  await playlist(friend.owner, music.friend[2]!.title, 'Meadow public', true)
  await playlist(friend.owner, music.friend[2]!.title, 'Meadow secret', false)
  await playlist(adult, music.home[1]!.title, 'Hearth of the adult', false)
}

/** The id of a song at a server. */
export async function idOf (listener: Listener, title: string): Promise<string> {
  const { searchResult3 } = await listener.rest('search3', { query: title, songCount: 100 })
  return searchResult3.song.find((song: any) => song.title === title).id
}

/** A private and a public playlist, with a song. */
async function playlists (listener: Listener, title: string, name: string): Promise<void> {
  await playlist(listener, title, `${name} private`, false)
  await playlist(listener, title, `${name} public`, true)
}

async function playlist (listener: Listener, title: string, name: string, isPublic: boolean): Promise<void> {
  await listener.rest('createPlaylist', { name, songId: await idOf(listener, title) })
  // Older servers do not answer with what they have made.
  const { playlists } = await listener.rest('getPlaylists')
  const { id } = playlists.playlist.find((playlist: any) => playlist.name === name)
  if (isPublic) restData('updatePlaylist', await listener.askRest('updatePlaylist', { playlistId: id, public: 'true' }))
}

/** A playlist of the owner with songs of all sources. */
export async function makeMix ({ owner }: Home, songs: readonly Found[]): Promise<void> {
  await owner.data('/page/playlist', { name: mix, add: songs.map(({ track }) => track.id) })
}

/** Its name. */
export const mix = 'Hearth mix'
