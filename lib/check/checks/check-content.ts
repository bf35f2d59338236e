import type { Track } from '../../../schemas/index.ts'
import { isBitrateInKbit, agreesWithSize, isTimeInSeconds } from '../../../schemas/units.ts'
import { walkData } from '../probe/create-pool.ts'
import type { Find, Location } from '../probe/findings.ts'
import { schemaOf, type Inspection } from '../probe/inspection.ts'
import type { RuleId } from '../rules.ts'

/** A length in milliseconds. If every track is shorter, the values are probably seconds. */
const shortestTrack = 2000

/** The minimum number of tracks that shows a pattern. */
const pattern = 3

/** Schemas whose names are shown in lists. */
const isNamed: ReadonlySet<string> = new Set(['Track', 'Artist', 'Album', 'Playlist', 'Toplist'])

/** Matches HTML tags and entities. */
const html = /<\/?(?:a|b|br|div|em|font|i|p|small|span|strong|su[bp]|u)\b[^>]*>|&(?:amp|lt|gt|quot|apos|nbsp|#\w+);/i

/** The factor by which a size may be smaller than duration and bitrate imply. Smaller sizes are not in bytes. */
const tooSmall = 300

/** Returns the format of lyrics that are neither LRC nor plain text. */
function formatOf (lyrics: unknown): string | undefined {
  if (typeof lyrics !== 'string') return undefined
  if (/^\d[\d:.,]* *--> *[\d:]/m.test(lyrics)) return 'SRT or WebVTT'
  if (/^\s*<(?:\?xml|tt)\b/.test(lyrics)) return 'XML'
  // LRC begins with a bracket as well.
  return /^\s*(?:\{\s*"|\[\s*[{"])/.test(lyrics) ? 'JSON' : undefined
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Checks rules that a schema cannot express: units, one set of qualities, ids that can be requested. */
export function checkContent (inspection: Inspection): void {
  const keys = new Set<unknown>(inspection.status?.qualityMap.map(option => option?.key))
  const tracks = new Map<unknown, Track>()
  let where: Location | undefined

  for (const seen of inspection.seen) {
    const { operation, request, data } = seen
    const find = (rule: RuleId, message: string, path: string) =>
      inspection.find(rule, { operation, request, path }, message)
    walkData(schemaOf(seen), data, (name, object, path) => {
      const { id } = object
      if (id === '') find('id-empty', 'is empty', `${path}/id`)
      else if (typeof id === 'string' && id !== id.trim()) {
        find('id-white-space', `is ${JSON.stringify(id)}`, `${path}/id`)
      }
      for (const member of ['publishTime', 'createdAt', 'updatedAt']) {
        const time = object[member]
        if (!isNumber(time) || !isTimeInSeconds(time)) continue
        find('time-in-seconds', `is ${time}`, `${path}/${member}`)
      }
      const label = object.title ?? object.name
      if (isNamed.has(name) && typeof label === 'string') {
        const member = `${path}/${object.title === undefined ? 'name' : 'title'}`
        // A track may have no album.
        if (label.trim() === '' && !path.endsWith('/album')) find('name-empty', 'is empty', member)
        else if (html.test(label)) find('name-html', `is ${label}`, member)
      }
      const { bitrate, format } = object
      if (typeof format === 'string' && /^\.|\//.test(format)) {
        find('format-name', `is ${JSON.stringify(format)}`, `${path}/format`)
      }
      for (const member of ['lyrics', 'wordLyrics', 'translatedLyrics']) {
        const format = formatOf(object[member])
        if (format !== undefined) find('lyrics-format', `is ${format}`, `${path}/${member}`)
      }
      if (isNumber(bitrate) && isBitrateInKbit(bitrate, object.size)) {
        find('bitrate-in-kbit', `is ${bitrate}`, `${path}/bitrate`)
      }
      const [member, key] = name === 'TrackQuality' ? ['key', object.key] : ['quality', object.quality]
      const isOutside = typeof key === 'string' && keys.size > 0 && !keys.has(key)
      if (isOutside) find('quality-outside-map', `is ${key}`, `${path}/${member}`)
      if (name !== 'Track') return
      tracks.set(object.id, object as unknown as Track)
      where ??= { operation, request }
    })
  }
  if (tracks.size >= pattern) checkTracks(inspection.find, where!, keys, [...tracks.values()])
}

function checkTracks (find: Find, where: Location, keys: ReadonlySet<unknown>, tracks: readonly Track[]): void {
  // 0 means unknown or endless.
  const durations = tracks.map(({ durationMs }) => durationMs).filter(duration => duration !== 0)
  const areSeconds = durations.every(duration => isNumber(duration) && duration > 0 && duration < shortestTrack) &&
    !tracks.some(({ durationMs, qualities }) => agreesWithSize(durationMs, qualities))
  if (areSeconds && durations.length >= pattern) {
    const message = `none of ${durations.length} tracks is longer than ${shortestTrack} ms`
    find('duration-in-seconds', where, message)
  }
  const sizes = tracks.flatMap(({ durationMs, qualities }) => Array.isArray(qualities)
    ? qualities.map(quality => Number(quality?.size) * tooSmall * 8000 / (durationMs * Number(quality?.bitrate)))
    : []).filter(part => part > 0 && part < Infinity)
  if (sizes.length >= pattern && sizes.every(part => part < 1)) {
    find('size-in-kilobytes', where, `${sizes.length} sizes are less than a ${tooSmall}th of the expected size`)
  }
  // Files of different recordings differ in size in every quality. Radio stations have no sizes.
  const lists = tracks.map(({ qualities }) => JSON.stringify(qualities))
  const { qualities } = tracks[0]!
  const hasAll = (own: ReadonlySet<unknown>) => [...keys].every(key => own.has(key))
  const isWholeMap = Array.isArray(qualities) && hasAll(new Set(qualities.map(quality => quality?.key)))
  if (keys.size > 1 && durations.length > 0 && isWholeMap && new Set(lists).size === 1) {
    find('qualities-copied', where, `all ${tracks.length} tracks have the same qualities of the same sizes`)
  }
}
