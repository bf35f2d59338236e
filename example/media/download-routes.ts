import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError } from 'fastify-source-origin'
import { audioTypeOf, sendFile, sendMediaError, type SignedQuery } from 'fastify-source-origin/media'
import { signalOf } from 'fastify-source-origin/serve'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CatalogueAlbum, CatalogueArtist, CatalogueTrack, TrackFile } from '../catalogue/catalogue-items.ts'
import { openRegularFile } from '../files/open-regular-file.ts'
import { artistNames } from '../text/artist-names.ts'
import { dispositionOf, fileNameOf } from './file-name.ts'
import type { FolderMediaOptions, OwnTracks } from './folder-media.ts'
import { packFiles, trackFileName, type Numbering } from './pack-files.ts'
import { sendArchive } from './send-archive.ts'
import { publishMedia } from './publish-media.ts'

/**
 * Returns the download path of a track, or of the archive of an album, artist or playlist, below the source's URL.
 *
 * @param listener the account that downloads it
 */
export const downloadPath = (kind: string, id: string, listener?: string) =>
  `/media/download/${kind}/${id}${listener === undefined ? '' : `/${listener}`}`

/** The tracks of an archive, and the names of their files. */
interface Packed {
  readonly name: string
  readonly tracks: readonly CatalogueTrack[]
  readonly numbering: Numbering
  readonly folderOf?: (track: CatalogueTrack) => string
}

interface DownloadRoute { Params: { kind: string, id: string, listener?: string }, Querystring: SignedQuery }

/** The value of no limit in SQLite. */
const all = -1

/** Registers the download routes, which require a signature in the URL instead of a header. */
export async function downloadRoutes (app: FastifyInstance, options: FolderMediaOptions): Promise<void> {
  const { folder, signer, ownPlaylist, limitsOf } = options
  app.setErrorHandler(sendMediaError)

  for (const url of ['/media/download/:kind/:id', '/media/download/:kind/:id/:listener']) {
    app.route<DownloadRoute>({ method: ['GET', 'HEAD'], url, handler: sendDownload })
  }

  async function sendDownload (request: FastifyRequest<DownloadRoute>, reply: FastifyReply) {
    const sent = publishMedia(reply, 'audio')
    const { kind, id, listener } = request.params
    signer.check(downloadPath(kind, id, listener), request.query)
    const left = signalOf(reply)
    reply.header('cache-control', 'private, no-store')
    const gone = () => new NotFoundError('This item no longer exists')
    // The account's current permissions count, not its permissions when it received the URL.
    const limits = listener === undefined ? {} : await limitsOf!(listener)
    if (limits === undefined || limits.download === false) throw gone()
    const catalogue = folder.catalogue.within(limits)
    if (kind === 'track') {
      const track = catalogue.tracks.get(id)
      if (track === undefined) throw gone()
      const [{ path, format }] = track.files as [TrackFile]
      const disposition = dispositionOf(trackFileName(track, numbersOf(catalogue, track.album).get(track.number)))
      const file = await openRegularFile(folder.root, path, left)
      if (file === undefined) throw gone()
      reply.type(audioTypeOf(format)!).header('content-disposition', disposition)
      return sendFile(reply, file, sent)
    }
    const own = async () => listener === undefined ? undefined : ownPlaylist!(listener, id)
    const packed = await packedOf(catalogue, kind, id, own)
    if (packed === undefined) throw gone()
    const { name, tracks, numbering, folderOf } = packed
    reply.header('content-disposition', dispositionOf(`${fileNameOf(name)}.zip`))
    return sendArchive(reply, folder.root, packFiles(tracks, numbering, folderOf), left, sent)
  }
}

async function packedOf (
  catalogue: Catalogue, kind: string, id: string, findOwn: () => Promise<OwnTracks | undefined>
): Promise<Packed | undefined> {
  if (kind === 'album') return packedAlbum(catalogue, catalogue.albums.get(id))
  if (kind === 'artist') return packedArtist(catalogue, catalogue.artists.get(id))
  const playlist = catalogue.playlists.get(id)
  if (playlist !== undefined) return inOrder(playlist.name, await catalogue.playlistTracks(playlist, all))
  const own = await findOwn()
  return own && inOrder(own.name, await catalogue.knownTracks(own.ids))
}

function packedAlbum (catalogue: Catalogue, album: CatalogueAlbum | undefined): Packed | undefined {
  if (album === undefined) return undefined
  const numbers = numbersOf(catalogue, album)
  const tracks = catalogue.albumTracks(album, all)
  const name = `${artistNames(album.artists)} - ${album.name}`
  return { name, tracks, numbering: ({ number }) => numbers.get(number) }
}

/** Returns the albums by an artist, then other tracks, in folders by album. */
function packedArtist (catalogue: Catalogue, artist: CatalogueArtist | undefined): Packed | undefined {
  if (artist === undefined) return undefined
  const isOwn = ({ artists }: CatalogueAlbum) => artists.some(({ id }) => id === artist.id)
  const own = catalogue.artistAlbums(artist, { limit: all }).filter(isOwn)
  const others = catalogue.artistTracks(artist, { limit: all }).filter(({ album }) => !isOwn(album))
  const tracks = [...own.flatMap(album => catalogue.albumTracks(album, all)), ...others]
  const albums = new Set(tracks.map(({ album }) => album))
  const numbers = new Map([...albums].flatMap(album => [...numbersOf(catalogue, album)]))
  const numbering: Numbering = ({ number }) => numbers.get(number)
  return { name: artist.name, tracks, numbering, folderOf: ({ album }) => album.name }
}

/** Returns the numbers of tracks in their album, with disc numbers if there are several discs. */
function numbersOf (catalogue: Catalogue, album: CatalogueAlbum): Map<number, string> {
  const places = catalogue.albumPlaces(album)
  const hasDiscs = new Set(places.map(({ disc }) => disc)).size > 1
  return new Map(places.map(({ number, disc, place }) =>
    [number, `${hasDiscs ? `${disc}-` : ''}${String(place).padStart(2, '0')}`]))
}

function inOrder (name: string, tracks: readonly CatalogueTrack[]): Packed {
  const digits = Math.max(2, String(tracks.length).length)
  return { name, tracks, numbering: (_track, index) => String(index + 1).padStart(digits, '0') }
}
