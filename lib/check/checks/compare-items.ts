import type { Album, Track } from '../../../schemas/index.ts'
import { dataSchemaOf } from '../probe/check-answer.ts'
import { idsIn } from '../probe/call-operation.ts'
import { walkData } from '../probe/create-pool.ts'
import type { Inspection } from '../probe/inspection.ts'

/** What lists and the detail of an item have in common. Artists may be named as on the cover. */
const constant: Readonly<Record<string, readonly string[]>> =
  { Track: ['title', 'durationMs'], Album: ['name'], Playlist: ['name'] }

/** Milliseconds by which two durations of one track differ when each was rounded. */
const rounding = 1000

/** Whether two of them contradict each other: 0 is an unknown duration, and what is no value has a finding already. */
const differ = (one: unknown, other: unknown) => typeof one === 'number' && typeof other === 'number'
  ? one > 0 && other > 0 && Math.abs(one - other) > rounding
  : typeof one === 'string' && typeof other === 'string' && one !== other

/** Compares what the answers say of one item, and looks at whose tracks those of artists and albums are. */
export function compareItems (inspection: Inspection): void {
  const known = new Map<string, Record<string, unknown>>()
  for (const { operation, request, data } of inspection.seen) {
    const asked = new URLSearchParams(request.replace(/^[^?]*/, '')).get('id')
    walkData(dataSchemaOf(operation), data, (schema, object, path) => {
      const name = schema.replace(/Detail$/, '')
      if (name === 'Track') findForeign(inspection, operation, asked, object as unknown as Track, { request, path })
      const key = `${name} ${object.id}`
      const before = known.get(key)
      if (before === undefined) known.set(key, object)
      // Another item than the one asked for has a finding of its own.
      if (before === undefined || path !== '/data' || object.id !== asked) return
      for (const member of constant[name] ?? []) {
        if (!differ(before[member], object[member])) continue
        const seen = `is ${object[member]}, and in an earlier answer ${before[member]}`
        inspection.find('detail-differs', { operation, request, path: `${path}/${member}` }, seen)
      }
    })
  }
}

function findForeign (
  { find, pool }: Inspection, operation: Inspection['seen'][number]['operation'], asked: string | null,
  { id, artists, album }: Track, where: { request: string, path: string }
): void {
  if (asked === null) return
  const artistOf = (album?: Partial<Album>) => album?.artistName
  const named = pool.artist.get(asked)?.name
  // Some sources have one artist for "Ann & Bob".
  const names = [artists].flat().map(artist => String(artist?.name))
  const isOfArtist = () => idsIn(artists).includes(asked) || names.some(name => name.includes(String(named))) ||
    artistOf(album) === named || artistOf(pool.album.get(album?.id)) === named
  const isForeign = operation === 'getAlbumDetail'
    ? album?.id !== asked
    : (operation === 'getArtistDetail' || operation === 'getArtistTracks') && !isOfArtist()
  if (isForeign) find('track-foreign', { operation, ...where }, `the track ${id} does not name ${asked}`)
}
