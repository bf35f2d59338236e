import type { Album, Track } from '../../../schemas/index.ts'
import { dataSchemaOf } from '../probe/check-answer.ts'
import { idsIn } from '../probe/call-operation.ts'
import { walkData } from '../probe/create-pool.ts'
import type { Inspection } from '../probe/inspection.ts'

/** Properties that lists and details of an item share. Artists may be named as on the cover. */
const constant: Readonly<Record<string, readonly string[]>> =
  { Track: ['title', 'durationMs'], Album: ['name'], Playlist: ['name'] }

/** The maximum difference in milliseconds of two rounded durations of one track. */
const rounding = 1000

/**
 * Returns whether two values contradict each other. 0 is an unknown duration, and invalid values have a finding
 * already.
 */
const differ = (one: unknown, other: unknown) => typeof one === 'number' && typeof other === 'number'
  ? one > 0 && other > 0 && Math.abs(one - other) > rounding
  : typeof one === 'string' && typeof other === 'string' && one !== other

/** Compares the responses about an item, and checks the artists and albums of tracks. */
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
      // A wrong item in a detail is a separate finding.
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
