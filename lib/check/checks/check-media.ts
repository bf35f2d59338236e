import { audioTypeOf } from '../../text/media-type-of.ts'
import { mediaLength, type Answer } from '../probe/create-probe.ts'
import { walkData } from '../probe/create-pool.ts'
import type { Find, Location } from '../probe/findings.ts'
import { schemaOf, type Inspection } from '../probe/inspection.ts'

/** Matches content types of audio. Ogg, MP4 and stream playlists do not begin with `audio`. */
const audioTypes = /^(audio\/|application\/ogg|video\/mp4|application\/vnd\.apple\.mpegurl|application\/dash\+xml)/i

interface Media extends Location { readonly url: string, readonly path: string, readonly format?: unknown }

/** The number of tracks with one URL that shows a pattern. Two tracks may be one file. */
const sameTracks = 3

type Open = (
  rule: 'audio-url' | 'cover-url', media: Media, headers?: Record<string, string>
) => Promise<Answer | undefined>

/** Opens URLs as players do: audio by range, covers completely, both without the token. */
export async function checkMedia (inspection: Inspection): Promise<void> {
  const audio = new Map<string, Media>()
  const covers = new Map<string, Map<string, Media>>()
  const tracks = new Set<string>()
  for (const seen of inspection.seen) {
    const { operation, request, data } = seen
    walkData(schemaOf(seen), data, (name, object, path) => {
      for (const member of ['url', 'coverUrl', 'avatarUrl', 'avatar']) {
        const url = object[member]
        if (typeof url !== 'string') continue
        const media = { operation, request, path: `${path}/${member}`, url, format: object.format }
        if (name === 'TrackUrl') {
          addTo(audio, media, inspection.samples)
          const id = new URLSearchParams(request.replace(/^[^?]*/, '')).get('id')
          // A station without a length may be in a list twice.
          if (id !== null && inspection.pool.track.get(id)?.durationMs !== 0) tracks.add(id)
        } else if (url !== '') {
          const kind = `${operation === 'status'} ${name} ${member}`
          if (!covers.has(kind)) covers.set(kind, new Map())
          addTo(covers.get(kind)!, media, inspection.samples)
        }
      }
    })
  }
  const { find } = inspection
  const open: Open = (rule, media, headers) => openMedia(inspection, rule, media, headers)
  const pictures = new Map<string, Media>()
  for (const kind of covers.values()) for (const media of kind.values()) addTo(pictures, media, Infinity)
  await Promise.all([
    ...[...audio.values()].map(async media => {
      const isSound = await checkAudio(find, open, media)
      if (!isSound || audio.size > 1 || tracks.size < sameTracks) return
      find('audio-same', media, `is the same for the tracks ${[...tracks].join(', ')}`)
    }),
    ...[...pictures.values()].map(media => checkCover(find, open, media))
  ])
}

/** Adds media to a sample by URL, until the sample is full. */
function addTo (sample: Map<string, Media>, media: Media, size: number): void {
  if (sample.size < size && !sample.has(media.url)) sample.set(media.url, media)
}

/**
 * Opens a URL. Returns `undefined` if this check cannot open it, or with a finding if it is invalid or rate-limited.
 */
async function openMedia (
  inspection: Inspection, rule: 'audio-url' | 'cover-url', media: Media, headers?: Record<string, string>
): Promise<Answer | undefined> {
  const url = URL.canParse(media.url) ? new URL(media.url) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    inspection.find(rule, media, `is ${media.url || 'empty'}`)
    return undefined
  }
  const answer = await inspection.open(url, media, headers)
  if (answer?.status !== 429) return answer
  inspection.find('rate-limited', media, 'answered 429')
  return undefined
}

const seen = ({ failure, status, text }: Answer) =>
  failure === undefined ? `answered ${status}${text === '' ? ' without a body' : ''}` : `failed: ${text}`

/** Returns a hint if the URL of a 404 contains an unescaped id, which leads to another path. */
function unencodedIn ({ request, url }: Media, { status }: Answer): string {
  const id = String(new URLSearchParams(request.replace(/^[^?]*/, '')).get('id'))
  return status === 404 && /[/?#]/.test(id) && url.includes(id)
    ? `: the URL has the id ${id} as it is, without encodeURIComponent`
    : ''
}

/** Matches the beginning of pages and JSON, which are neither audio nor pictures. */
const page = /^[\s\u00EF\u00BB\u00BF]*(<!doctype html|<html|[[{]\s*["{])/i

/** Returns the problem of content that should have this type. */
function wrongContent (types: RegExp, { headers, text }: Answer): string | undefined {
  const type = headers.get('content-type') ?? 'none'
  if (!types.test(type)) return `answered with the content type ${type}`
  return page.test(text) ? `answered with ${type}, and a page or JSON in it` : undefined
}

/** A range beyond the end of any audio. */
const farRange = { range: 'bytes=99999999999-' }
/** A range of the bytes already read, except the first. */
const innerRange = { range: `bytes=1-${mediaLength - 1}` }

/** @returns whether it is audio */
async function checkAudio (find: Find, open: Open, media: Media): Promise<boolean> {
  const answer = await open('audio-url', media, { range: 'bytes=0-1023' })
  if (answer === undefined) return false
  if (![200, 206].includes(answer.status) || answer.text === '') {
    find('audio-status', media, seen(answer) + unencodedIn(media, answer))
    return false
  }
  const wrong = wrongContent(audioTypes, answer)
  if (wrong !== undefined) find('audio-type', media, wrong)
  else findOtherFormat(find, media, answer)
  // A server may ignore ranges, which it shows with 200.
  if (answer.status === 206) await checkRanges(find, open, media, answer)
  return wrong === undefined
}

async function checkRanges (find: Find, open: Open, media: Media, answer: Answer): Promise<void> {
  const inner = await open('audio-url', media, innerRange)
  if (inner?.status === 206) {
    const range = inner.headers.get('content-range') ?? 'none'
    const told = !/^bytes 1-\d+\//.test(range) && `the Content-Range ${range}`
    const other = inner.text !== answer.text.slice(1) && 'other bytes than the whole audio has there'
    if (told || other) find('audio-range-bytes', media, `answered ${innerRange.range} with ${told || other}`)
  }
  const behind = await open('audio-url', media, farRange)
  if (behind !== undefined && behind.status !== 416) {
    find('audio-range', media, `${seen(behind)} to ${farRange.range}`)
  }
}

/** Names that servers use for the same format. A playlist of a stream is `mpegurl`. */
const families = [/mpeg(?!url)|mp3/, /flac/, /mp4|m4a|aac/, /wav/, /ogg|opus|vorbis/]

function findOtherFormat (find: Find, media: Media, { headers }: Answer): void {
  const { format } = media
  const expected = typeof format === 'string' ? audioTypeOf(format) : undefined
  const type = headers.get('content-type')!.toLowerCase()
  const familyOf = (text = '') => families.find(family => family.test(text))
  const [one, other] = [familyOf(expected), familyOf(type)]
  if (one === undefined || other === undefined || one === other) return
  find('audio-format', media, `answered with ${type}, and format is ${String(format)}`)
}

async function checkCover (find: Find, open: Open, media: Media): Promise<void> {
  const answer = await open('cover-url', media)
  if (answer === undefined) return
  if (answer.status !== 200 || answer.text === '') return find('cover-status', media, seen(answer))
  const wrong = wrongContent(/^image\//i, answer)
  if (wrong !== undefined) find('cover-type', media, wrong)
}
