import { UnplayableError } from 'fastify-source-origin'
import { transcodedUrl } from 'fastify-source-origin/media'
import type { ServeContextOptions } from 'fastify-source-origin/serve'
import type { ResolveLogin, SubsonicOptions } from 'fastify-source-origin/subsonic'
import type { FolderSource } from './folder-source.ts'
import { resizeCover } from '../media/folder-media.ts'
import type { Resources } from '../open-resources.ts'

/** What Subsonic apps get of the folder beside its operations. */
export const subsonicOptions = (resources: Resources): NonNullable<ServeContextOptions['subsonic']> => ({
  resolveLogin: resolveLogin(resources),
  lists: {
    recommended: ({ id }) =>
      resources.settings.GENRE_PLAYLISTS === 'true' || !resources.folder.catalogue.playlists.get(id)?.genre
  },
  // Without accounts it is in memory.
  ...resources.opened && { store: resources.opened.state.subsonic },
  resizeCover,
  downloadUrl,
  ...resources.transcoder && { transcoder: resources.transcoder, transcodedUrl },
  // Every URL is one of this server.
  media: 'redirect'
})

const detailOf = {
  track: 'getTrackDetail', album: 'getAlbumDetail', artist: 'getArtistDetail', playlist: 'getPlaylistDetail'
} as const

/** For the page and for Subsonic apps. */
export const downloadUrl: NonNullable<SubsonicOptions['downloadUrl']> = async (kind, id, { adapter }) => {
  const source = adapter as FolderSource
  if (source.limits.download === false) throw new UnplayableError('This account may not save files')
  // What is not there, or is not the account's, is told here.
  await source[detailOf[kind]](id, 1)
  return source.describe.downloadUrl(kind, id)
}

const resolveLogin = ({ token, opened }: Resources): ResolveLogin => login => opened === undefined
  ? token !== '' && login.verify(token) ? token : null
  : opened.accounts.logIn(login)
