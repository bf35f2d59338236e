import type { Track, TrackUrl } from '../../../schemas/index.ts'
import type { extras } from '../../../schemas/extras.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import { UpstreamError } from '../../contract/errors.ts'
import { urlExpiry } from '../../text/url-expiry.ts'
import type { MediaLocation, TranscodedPart } from '../../media/index.ts'
import type { Call, Method } from '../call.ts'
import { readId, readIdOf, type IdKind } from '../ids.ts'
import { decide, type Decision } from '../media/decide.ts'
import { decideForApp, readChosen } from '../media/transcode-decision.ts'
import { contentTypeOf, suffixOf, type Wanted } from '../media/quality-for-app.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { findPlaylist } from './find-playlist.ts'
import { findAlbum, findArtist, findTrack, itemOf } from './find-items.ts'
import { refuseOthers } from './server-methods.ts'

const minute = 60_000

/** The cache time in milliseconds of URLs without an expiry. */
const keptByDefault = 5 * minute

const day = 86_400

function checkAudio ({ session }: Call): void {
  if (!session.has('getTrackUrl')) throw new SubsonicError(50, 'This source has no audio')
}

/** Sends audio as the source has it, or converted for the app if there is a transcoder. */
const audio = (isDownload: boolean) => async (call: Call): Promise<void> => {
  const { parameters } = call
  const id = readIdOf('track', parameters.required('id'))
  checkAudio(call)
  const format = parameters.first('format')?.toLowerCase()
  const kilobits = parameters.integer('maxBitRate')
  const wanted: Wanted = isDownload || format === 'raw'
    ? {}
    : { maxBitrate: kilobits ? kilobits * 1000 : undefined, format }
  const isRaw = isDownload || format === 'raw'
  const start = isRaw ? 0 : parameters.seconds('timeOffset') ?? 0
  const isLimited = wanted.maxBitrate !== undefined || wanted.format !== undefined || start > 0
  const track = await trackOf(call, id, isLimited)
  const formats = isRaw ? [] : call.options.transcoder?.formats ?? []
  const part = { startSeconds: start, isWhole: parameters.flag('estimateContentLength') === true }
  return sendDecided(call, id, track, decide(track, wanted, formats, part), part, isDownload)
}

/** @param part the requested part of a transcoding */
async function sendDecided (
  call: Call, id: string, track: Partial<Pick<Track, 'title'>>, { quality, profile }: Decision, part: TranscodedPart,
  isDownload = false
): Promise<void> {
  let place = await trackUrl(call, id, quality?.key, false)
  const locate = async (again: boolean): Promise<MediaLocation> => {
    if (again) place = await trackUrl(call, id, quality?.key, true)
    return { url: place.url, type: contentTypeOf(place.format || quality?.format) }
  }
  const account = call.session.account.key
  const transcoding = profile && { key: [id, quality?.key, quality?.size].join(), profile, account, ...part }
  const maxAge = ((urlExpiry(place.url) ?? Date.now() + keptByDefault) - Date.now()) / 1000
  const extension = suffixOf(place.format || quality?.format)
  const filename = isDownload ? `${track.title ?? id}.${extension}` : undefined
  return call.media(call, { kind: 'audio', id, extension, maxAge, filename, locate, transcoding })
}

const sendAudio = audio(false)
const saveAudio = audio(true)

/** Redirects to the download URL if the source has one; else sends the audio of a track. */
async function download (call: Call): Promise<void> {
  const { kind, id } = readId(call.parameters.required('id'))
  checkAudio(call)
  const { options: { downloadUrl }, session } = call
  const find = async () => isDownloaded(kind) ? downloadUrl?.(kind, id, session.context) : undefined
  const url = await withTimeout(find, session)
  if (url === undefined) return saveAudio(call)
  const locate = async () => ({ url })
  return call.media(call, { kind: 'audio', id, extension: '', maxAge: 0, way: 'redirect', locate })
}

const isDownloaded = (kind: IdKind) => kind !== 'toplist' && kind !== 'special'

/**
 * Returns the known qualities of a track; nothing if the source has no details.
 *
 * @param isLimited whether qualities are required, since lists of some sources omit them
 */
async function trackOf (
  call: Call, id: string, isLimited: boolean
): Promise<Partial<Pick<Track, 'qualities' | 'title' | typeof extras>>> {
  const { session } = call
  const known = session.account.items.tracks.get(id)
  if (known !== undefined && (!isLimited || known.qualities?.length)) return known
  if (session.has('getTrackDetail')) return findTrack(call, id)
  return await itemOf(session, 'tracks', id) ?? {}
}

/** @param again whether the cached URL was rejected */
async function trackUrl (
  { session }: Call, id: string, quality: string | undefined, again: boolean
): Promise<TrackUrl> {
  // A track may have a quality that the source does not offer.
  const isOffered = session.context.qualityMap?.some(option => option?.key === quality) ?? true
  const known = isOffered ? quality : undefined
  const found = await (again ? session.readAgain('getTrackUrl', id, known) : session.read('getTrackUrl', id, known))
  if (found === undefined) throw new UpstreamError('The source has no URL for this track')
  return found
}

async function getCoverArt (call: Call): Promise<void> {
  const id = call.parameters.required('id')
  const { items } = call.session.account
  const kept = items.covers.get(id)
  const isOver = kept !== undefined && (urlExpiry(kept) ?? Infinity) < Date.now() + minute
  return sendCover(call, id, isOver ? undefined : kept, async () => {
    const url = await findCover(call, id)
    if (kept !== undefined) items.noteCover(id, url)
    return url
  })
}

/** @param find requests the URL from the source, if none is cached or the cached one fails */
async function sendCover (
  call: Call, id: string, kept: string | undefined, find: () => Promise<string | undefined>
): Promise<void> {
  const pixels = call.parameters.integer('size')
  const { resizeCover } = call.options
  const placeOf = async (known?: string): Promise<MediaLocation> => {
    const url = known ?? await find()
    if (!url) throw new SubsonicError(70, 'This item has no picture')
    return { url: pixels && resizeCover ? resizeCover(url, pixels) : url }
  }
  const place = await placeOf(kept)
  const locate = async (again: boolean) => again ? placeOf() : place
  // A picture scaled by the source has the right size already.
  const scale = resizeCover ? undefined : pixels
  return call.media(call, { kind: 'cover', id, extension: extensionOf(place.url), maxAge: day, pixels: scale, locate })
}

function extensionOf (url: string): string {
  const [path] = url.split(/[?#]/, 1)
  return /\.(jpe?g|png|gif|webp|avif)$/i.exec(path!)?.[1] ?? 'jpg'
}

/** Returns the picture of an item that was not shown, or was evicted from memory. */
async function findCover (call: Call, text: string): Promise<string | undefined> {
  const { kind, id } = readId(text)
  const known = kind === 'artist' || kind === 'album' || kind === 'track'
    ? await itemOf(call.session, `${kind}s`, id)
    : undefined
  if (known !== undefined) {
    const { coverUrl } = 'album' in known ? known.album : known
    if (coverUrl || kind !== 'artist') return coverUrl
  }
  switch (kind) {
    case 'album': return (await findAlbum(call, id)).coverUrl
    case 'track': return (await findTrack(call, id)).album.coverUrl
    case 'artist': {
      const { coverUrl, avatarUrl } = await findArtist(call, id)
      return coverUrl || avatarUrl
    }
    case 'playlist': return (await call.session.read('getPlaylistDetail', id, 1))?.coverUrl
    case 'toplist': return (await call.session.read('getToplistTracks', id, 0, 1))?.coverUrl
    default: return (await findPlaylist(call, kind, id)).playlist.coverUrl
  }
}

async function getAvatar (call: Call): Promise<void> {
  const { session } = call
  refuseOthers(call)
  return sendCover(call, 'avatar', undefined, async () => (await session.read('getUserMe'))?.avatar)
}

/** @throws SubsonicError if the media cannot be transcoded */
function transcodedId ({ parameters, options }: Call): string {
  if (!options.transcoder?.formats.length) throw new SubsonicError(0, 'This server does not offer that')
  const type = parameters.first('mediaType') ?? 'song'
  if (type !== 'song') throw new SubsonicError(0, 'Only songs are transcoded here')
  return readIdOf('track', parameters.required('mediaId'))
}

/** Decides how an app receives a song, from the abilities that it sent. */
export const getTranscodeDecision: Method = async call => {
  const id = transcodedId(call)
  checkAudio(call)
  const track = await trackOf(call, id, true)
  return { transcodeDecision: decideForApp(track, call.request.body, call.options.transcoder!.formats) }
}

async function getTranscodeStream (call: Call): Promise<void> {
  const id = transcodedId(call)
  checkAudio(call)
  const chosen = readChosen(call.parameters.required('transcodeParams'))
  if (chosen === undefined) {
    throw new SubsonicError(
      0, 'These transcodeParams are not from this server', { status: 400 }
    )
  }
  const track = await trackOf(call, id, true)
  const quality = track.qualities?.find(({ key }) => key === chosen.quality)
  const start = call.parameters.seconds('offset') ?? 0
  const formats = call.options.transcoder!.formats
  // With a start time, the source's file must be transcoded as well.
  const made = decide({ qualities: quality && [quality] }, {}, formats, { startSeconds: start })
  const profile = chosen.profile ?? made.profile
  return sendDecided(call, id, track, { quality, profile }, { startSeconds: start })
}

/** Methods that respond with bytes. */
export const mediaMethods: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  stream: sendAudio,
  getTranscodeStream,
  download,
  getCoverArt,
  getAvatar,
  'hls.m3u8': async () => {
    throw new SubsonicError(0, 'This server does not cut audio into pieces', { status: 404 })
  }
}
