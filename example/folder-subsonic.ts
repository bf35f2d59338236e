import { UnplayableError } from 'fastify-source-origin'
import { transcodedUrl } from 'fastify-source-origin/media'
import type { ServeContextOptions } from 'fastify-source-origin/serve'
import type { ResolveLogin, SubsonicOptions } from 'fastify-source-origin/subsonic'
import { homeOf, isOfOther, withoutHome } from './others/home.ts'
import type { FolderSource } from './source/folder-source.ts'
import { resizeCover } from './media/folder-media.ts'
import type { Resources } from './open-resources.ts'
import { otherSuffixes } from './start/settings.ts'

/** What Subsonic apps get of the folder beside its operations. */
export const subsonicOptions = (resources: Resources): NonNullable<ServeContextOptions['subsonic']> => ({
  resolveLogin: resolveLogin(resources),
  lists: {
    recommended: ({ id }) =>
      resources.settings.GENRE_PLAYLISTS === 'true' || !resources.folder.catalogue.playlists.get(withoutHome(id))?.genre
  },
  // Without accounts it is in memory.
  ...resources.opened && { store: resources.opened.state.subsonic },
  resizeCover,
  downloadUrl,
  // The operator has named these hosts, which may be in the own network.
  allowPrivate: otherSuffixes.map(suffix => resources.settings[`SOURCE_URL${suffix}`])
    .filter(url => url !== '').map(url => new URL(url).host),
  ...resources.transcoder && {
    transcoder: resources.transcoder,
    transcodedUrl: ownUrls(resources)
  },
  // Every URL is one that apps can open.
  media: 'redirect'
})

/**
 * Audio of the folder is transcoded where it is sent. Audio of another source, which may transcode nothing, is fetched:
 * its URL may look the same, but has another signature.
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

/** For the page and for Subsonic apps. */
export const downloadUrl: NonNullable<SubsonicOptions['downloadUrl']> = async (kind, id, { adapter }) => {
  const home = homeOf(adapter)
  const source = home as FolderSource
  if (source.limits.download === false) throw new UnplayableError('This account may not save files')
  // A track of another source is saved as that one has it.
  if (home !== adapter && isOfOther(id)) return undefined
  const own = home === adapter ? id : withoutHome(id)
  // What is not there, or is not the account's, is told here.
  await source[detailOf[kind]](own, 1)
  return source.describe.downloadUrl(kind, own)
}

const resolveLogin = ({ token, opened }: Resources): ResolveLogin => login => opened === undefined
  ? token !== '' && login.verify(token) ? token : null
  : opened.accounts.logIn(login)
