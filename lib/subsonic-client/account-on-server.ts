import { NotFoundError } from '../contract/errors.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import { artistIdOf } from './browse-server.ts'
import type { RemoteSource } from './subsonic-adapter.ts'
import { listOf, objectOf, textOf, type Given } from './tolerate.ts'

/** Returns all favourites with one cached call, since clients request the three lists together. */
export async function starred (source: RemoteSource): Promise<Given> {
  return source.client.keep('starred', 5000, async () => {
    const { shared } = source
    const newer = await shared.tryTo('getStarred2')
    return newer === undefined ? objectOf((await shared.ask('getStarred')).starred) : objectOf(newer.starred2)
  })
}

const lists = { id: 'song', albumId: 'album', artistId: 'artist' } as const

/** Adds or removes a star. */
async function star (source: RemoteSource, parameter: 'id' | 'albumId' | 'artistId', id: string, status: boolean) {
  const forget = () => source.client.forget('starred', `song ${id}`)
  forget()
  try {
    const answer = await source.change(status ? 'star' : 'unstar', { [parameter]: id })
    // Reads made during the change may be older than it.
    forget()
    return answer === undefined ? { success: false, status: !status } : { success: true, status }
  } catch (error) {
    // Some servers reject a change to the current state.
    const isSo = listOf((await starred(source))[lists[parameter]]).some(item => textOf(item.id) === id) === status
    if (!isSo || error instanceof NotFoundError) throw error
    return { success: true, status }
  }
}

/** Methods for the data of the user. */
export function accountOnServer (source: RemoteSource) {
  return {
    favoriteTrack: (id, status) => star(source, 'id', id, status),
    favoriteAlbum: (id, status) => star(source, 'albumId', id, status),
    favoriteArtist: async (id, status) => star(source, 'artistId', await artistIdOf(source, id), status),

    async userFavoriteTracks () { return source.tracks((await starred(source)).song) },
    async userAlbums () { return source.albums((await starred(source)).album) },
    async userArtists () { return source.artists((await starred(source)).artist) },

    async getUserMe () {
      const username = await source.username()
      const user = await source.tryTo('getUser', { username: username || undefined })
      const name = textOf(objectOf(user?.user).username) || username
      return { userId: name, nickname: name, avatar: '', platform: source.client.type }
    }
  } satisfies SourceAdapter
}
