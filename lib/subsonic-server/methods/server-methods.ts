import { inferCapabilities } from '../../source/index.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import { generatedOf, type Call, type Method } from '../call.ts'
import { count } from '../item-mapper.ts'
import type { ValidOptions } from '../subsonic-options.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { textOfTime } from '../times.ts'

/** The supported extensions of OpenSubsonic. */
const extensions = [
  { name: 'formPost', versions: [1] },
  { name: 'songLyrics', versions: [1, 2] },
  { name: 'indexBasedQueue', versions: [1] },
  { name: 'topSongsByArtistId', versions: [1] },
  { name: 'playbackReport', versions: [1] }
]

const withLogin = [{ name: 'apiKeyAuthentication', versions: [1] }]
const withTranscoder = [{ name: 'transcodeOffset', versions: [1] }, { name: 'transcoding', versions: [1] }]

/** Returns the extensions. This call needs no login. */
export const extensionsOf = ({ hasLogin, transcoder }: Pick<ValidOptions, 'hasLogin' | 'transcoder'>) => ({
  openSubsonicExtensions: [
    ...extensions, ...hasLogin ? withLogin : [], ...transcoder?.formats.length ? withTranscoder : []
  ]
})

const otherRoles = [
  'settings', 'upload', 'coverArt', 'comment', 'podcast', 'jukebox', 'share', 'videoConversion'
]

/** @throws SubsonicError 50 if a call is about another user */
export function refuseOthers ({ parameters, username }: Call): void {
  const asked = parameters.first('username') ?? username
  if (asked.toLowerCase() !== username.toLowerCase()) throw new SubsonicError(50, 'Only the own user can be looked at')
}

const getUser: Method = call => {
  const { username, session } = call
  refuseOthers(call)
  const { adapter, stateless, limits: { download = true, bitrate } = {} } = session.context
  const hasAudio = session.has('getTrackUrl')
  return {
    user: {
      username,
      scrobblingEnabled: true,
      adminRole: false,
      downloadRole: hasAudio && download,
      playlistRole: inferCapabilities(adapter, { stateless }).includes('playlistMutation'),
      streamRole: hasAudio,
      ...bitrate !== undefined && { maxBitRate: Math.floor(bitrate / 1000) },
      ...Object.fromEntries(otherRoles.map(role => [`${role}Role`, false])),
      folder: [1]
    }
  }
}

/** Starts a scan or returns its progress: the source's own scan, or else the reading of the library. */
const scan = (method: 'startScan' | 'getScanStatus'): Method => async call => {
  const { session } = call
  const { adapter } = session.context
  const generated = generatedOf(call)
  const library = await session.library()
  if (method === 'startScan' && library === undefined) generated.restart(session)
  const status = typeof adapter[method] === 'function'
    ? await withTimeout(() => adapter[method]!(), session)
    : {
        scanning: generated.isBuilding,
        count: library === undefined ? generated.count : (await library.facets('tracks')).total
      }
  const changedAt = await (library ?? generated).changedAt
  const lastScan = changedAt > 0 ? textOfTime(changedAt) : undefined
  return { scanStatus: { scanning: status.scanning, count: count(status.count), folderCount: 1, lastScan } }
}

/** Responses for items that this server never has, by method. */
const nothing = Object.entries({
  getPodcasts: ['podcasts', 'channel'],
  getNewestPodcasts: ['newestPodcasts', 'episode'],
  getInternetRadioStations: ['internetRadioStations', 'internetRadioStation'],
  getShares: ['shares', 'share'],
  getVideos: ['videos', 'video'],
  getChatMessages: ['chatMessages', 'chatMessage']
}).map(([method, [member, item]]): [string, Method] => [method, () => ({ [member!]: { [item!]: [] } })])

/** Responds as to an unknown method: apps probe for these, and show any other code as an error. */
const notOffered: Method = () => { throw new SubsonicError(0, 'This server does not offer that') }

const refused = [
  'refreshPodcasts', 'createPodcastChannel', 'deletePodcastChannel', 'deletePodcastEpisode', 'downloadPodcastEpisode',
  'createInternetRadioStation', 'updateInternetRadioStation', 'deleteInternetRadioStation',
  'createShare', 'updateShare', 'deleteShare', 'addChatMessage', 'jukeboxControl',
  'getUsers', 'createUser', 'updateUser', 'deleteUser', 'changePassword'
].map((method): [string, Method] => [method, notOffered])

const noVideo: Method = () => { throw new SubsonicError(70, 'This server has no videos') }

export const serverMethods: Readonly<Record<string, Method>> = {
  ping: () => ({}),
  getLicense: () => ({ license: { valid: true } }),
  tokenInfo: ({ session, username }) => ({ tokenInfo: { username: session.context.accountName ?? username } }),
  getUser,
  getMusicFolders: ({ options }) => ({ musicFolders: { musicFolder: [{ id: 1, name: options.title }] } }),
  getScanStatus: scan('getScanStatus'),
  startScan: scan('startScan'),
  getVideoInfo: noVideo,
  getCaptions: noVideo,
  ...Object.fromEntries(nothing),
  ...Object.fromEntries(refused)
}
