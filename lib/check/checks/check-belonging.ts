import type { Album, Track } from '../../../schemas/index.ts'
import { operationOf } from '../../contract/operations.ts'
import { callOperation, idsIn, sendable } from '../probe/call-operation.ts'
import { walkData } from '../probe/create-pool.ts'
import { schemaOf, type Inspection, type Seen } from '../probe/inspection.ts'

/** Lists in which an item may stand twice, or that have a check of their own. */
const repeating: ReadonlySet<string> = new Set(['getPlaylistDetail', 'getToplistTracks', 'getRoamTracks', 'status'])

/** Checks that lists contain items once, and only items that belong there. */
export async function checkBelonging (inspection: Inspection): Promise<void> {
  const artists = artistsOfAlbums(inspection.seen)
  for (const seen of [...inspection.seen]) {
    const { operation, request, data } = seen
    const asked = new URLSearchParams(request.replace(/^[^?]*/, '')).get('id')
    const ids = idsIn(data)
    const before = new Set<unknown>()
    const again = repeating.has(operation) ? undefined : ids.find(id => id && before.size === before.add(id).size)
    if (again !== undefined) inspection.find('list-repeats', seen, `has ${again} twice`)
    if (asked === null) continue
    if (operation === 'getSimilarTracks' && ids.includes(asked)) {
      inspection.find('list-repeats', seen, `has the track ${asked} itself`)
    }
    const isOf = belongsTo(inspection, artists, operation, asked)
    walkData(schemaOf(seen), data, (name, object, path) => {
      if (name !== 'Track' || isOf(object as unknown as Track)) return
      inspection.find('track-foreign', { operation, request, path }, `the track ${object.id} does not name ${asked}`)
    })
    if (operation === 'getArtistAlbums') await findForeignAlbums(inspection, artists, seen, asked)
  }
}

/** Artists of albums, by their ids and names, from all answers: an album in a track may lack its artist. */
type Artists = ReadonlyMap<unknown, { readonly names: Set<string>, readonly ids: Set<unknown> }>

function artistsOfAlbums (seen: readonly Seen[]): Artists {
  const found = new Map<unknown, { names: Set<string>, ids: Set<unknown> }>()
  const of = (id: unknown) => {
    if (!found.has(id)) found.set(id, { names: new Set(), ids: new Set() })
    return found.get(id)!
  }
  for (const one of seen) {
    walkData(schemaOf(one), one.data, (name, object) => {
      const { artists = [], album } = object as unknown as Partial<Track>
      if (name === 'Track') for (const id of idsIn(artists)) of(album?.id).ids.add(id)
      const { artistName } = object as Partial<Album>
      if (/^Album/.test(name) && artistName !== undefined) of(object.id).names.add(artistName)
    })
  }
  return found
}

/** Returns whether tracks of a response belong to the requested artist or album. */
function belongsTo ({ pool }: Inspection, known: Artists, operation: Seen['operation'], asked: string) {
  if (operation === 'getAlbumDetail') return ({ album }: Track) => album?.id === asked
  if (operation !== 'getArtistDetail' && operation !== 'getArtistTracks') return () => true
  const named = String(pool.artist.get(asked)?.name)
  return ({ artists, album }: Track) => {
    // Some sources have one artist for "Ann & Bob".
    const isNamed = [artists].flat().some(artist => String(artist?.name).includes(named))
    return isNamed || idsIn(artists).includes(asked) || known.get(album?.id)?.names.has(named) === true
  }
}

/** Requests some albums of an artist that do not name the artist. Their tracks may. */
async function findForeignAlbums (
  inspection: Inspection, known: Artists, { operation, request, data }: Seen, asked: string
): Promise<void> {
  const named = String(inspection.pool.artist.get(asked)?.name)
  const isOf = ({ names, ids }: { names: Set<string>, ids: Set<unknown> }) =>
    ids.has(asked) || [...names].some(name => name.includes(named))
  const others = idsIn(data).filter(id => typeof id === 'string' && id !== '')
    .filter(id => !known.has(id) || !isOf(known.get(id)!)) as string[]
  for (const id of others.slice(0, inspection.samples)) {
    await callOperation(inspection, operationOf('getAlbumDetail'), { id: sendable(id) }, [404])
    const artists = artistsOfAlbums(inspection.seen).get(id)
    if (artists === undefined || isOf(artists)) continue
    inspection.find('track-foreign', { operation, request }, `the album ${id} has no track of ${asked}`)
  }
}
