import { UnauthorizedError } from 'fastify-source-origin'
import type { ServeContextOptions } from 'fastify-source-origin/serve'
import type { ResolveLogin, SubsonicOptions } from 'fastify-source-origin/subsonic'
import type { FolderSource } from './folder-source.ts'
import { resizeCover } from '../media/media-routes.ts'
import type { Parts } from '../open-parts.ts'

/** What Subsonic apps get of the folder beside its operations. */
export const subsonicOptions = (parts: Parts): NonNullable<ServeContextOptions['subsonic']> => ({
  resolveLogin: resolveLogin(parts),
  lists: {
    recommended: ({ id }) =>
      parts.settings.GENRE_PLAYLISTS === 'true' || !parts.library.catalogue.playlists.get(id)?.genre
  },
  // Without accounts it is in memory.
  ...parts.opened && { store: parts.opened.state.subsonic },
  resizeCover,
  downloadUrl,
  // Every URL is one of this server.
  media: 'redirect'
})

const detailOf = {
  track: 'getTrackDetail', album: 'getAlbumDetail', artist: 'getArtistDetail', playlist: 'getPlaylistDetail'
} as const

/** For the page and for Subsonic apps. */
export const downloadUrl: NonNullable<SubsonicOptions['downloadUrl']> = async (kind, id, { adapter }) => {
  const source = adapter as FolderSource
  // What is not there, or is not the account's, is told here.
  await source[detailOf[kind]](id, 1)
  return source.describe.downloadUrl(kind, id)
}

const resolveLogin = ({ token, opened, tries }: Parts): ResolveLogin => async login => {
  const { verify, secret, username = '', request, signal } = login
  const ofToken = () => token !== '' && verify(token) ? token : null
  let needed: unknown
  const find = async () => opened === undefined
    ? ofToken()
    // An app that needs an app password may guess at the token of the owner, so it is counted as a wrong one.
    : opened.accounts.logIn(login).catch(error => {
      if (!(error instanceof UnauthorizedError)) throw error
      needed = error
      return null
    })
  // Where only a digest was sent, which is another each time, the name is what is known again.
  const found = await tries.look(request, secret ?? `name ${username}`, find, secret !== undefined)
  if (found === null) await tries.slowDown(request, username, signal)
  else tries.prove(request, found)
  if (needed !== undefined) throw needed
  return found
}
