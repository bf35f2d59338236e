import { UnplayableError } from 'fastify-source-origin'
import { transcodedUrl } from 'fastify-source-origin/media'
import type { ServeContextOptions } from 'fastify-source-origin/serve'
import type { ResolveLogin, SubsonicOptions } from 'fastify-source-origin/subsonic/server'
import { homeOf, isOfOther, withoutHome } from './others/home.ts'
import type { FolderSource } from './source/folder-source.ts'
import { resizeCover } from './media/folder-media.ts'
import type { Resources } from './open-resources.ts'
import { otherSuffixes } from './start/settings.ts'

/** Returns the options of the Subsonic server for the folder. */
export const subsonicOptions = (resources: Resources): NonNullable<ServeContextOptions['subsonic']> => ({
  resolveLogin: resolveLogin(resources),
  lists: {
    recommended: ({ id }) =>
      resources.settings.GENRE_PLAYLISTS === 'true' || !resources.folder.catalogue.playlists.get(withoutHome(id))?.genre
  },
  resizeCover,
  downloadUrl,
  // The operator has configured these hosts, which may be in the private network.
  allowPrivate: otherSuffixes.map(suffix => resources.settings[`SOURCE_URL${suffix}`])
    .filter(url => url !== '').map(url => new URL(url).host),
  ...resources.transcoder && {
    transcoder: resources.transcoder,
    transcodedUrl: ownUrls(resources)
  },
  // Apps can open all media URLs themselves.
  media: 'redirect'
})

/**
 * Returns a function that creates the transcoding URL of audio in the folder. The function returns `undefined` for
 * audio of another source, which may not support transcoding, so the server fetches that audio. The signature shows
 * whether a URL is from the folder.
 */
const ownUrls = ({ signer }: Resources): NonNullable<SubsonicOptions['transcodedUrl']> => (url, ...more) => {
  const { pathname, searchParams } = new URL(url)
  try {
    signer.check(pathname.slice(pathname.indexOf('/media/audio/')), Object.fromEntries(searchParams))
  } catch {
    return undefined
  }
  return transcodedUrl(url, ...more)
}

const detailOf = {
  track: 'getTrackDetail', album: 'getAlbumDetail', artist: 'getArtistDetail', playlist: 'getPlaylistDetail'
} as const

/** Returns the download URL of an item, for the page and for Subsonic apps. */
export const downloadUrl: NonNullable<SubsonicOptions['downloadUrl']> = async (kind, id, { adapter }) => {
  const home = homeOf(adapter)
  const source = home as FolderSource
  if (source.limits.download === false) throw new UnplayableError('This account may not save files')
  // A track of another source is downloaded as that source provides it.
  if (home !== adapter && isOfOther(id)) return undefined
  const own = home === adapter ? id : withoutHome(id)
  // Throws if the item does not exist or the account has no access to it.
  await source[detailOf[kind]](own, 1)
  return source.describe.downloadUrl(kind, own)
}

const resolveLogin = ({ token, opened }: Resources): ResolveLogin => login => opened === undefined
  ? token !== '' && login.verify(token) ? token : null
  : opened.accounts.logIn(login)
