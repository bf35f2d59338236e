import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError, SourceError } from 'fastify-source-origin'
import {
  audioTypeOf, createCoverScaler, sendFile, type SignedQuery, type Signer
} from 'fastify-source-origin/media'
import { addVary, signalOf } from 'fastify-source-origin/serve'
import { join } from 'node:path'
import type { Limits } from '../accounts/limits.ts'
import { qualityOf } from '../catalogue/qualities.ts'
import type { MusicFolder } from '../index/music-folder.ts'
import { openRegularFile } from '../files/open-regular-file.ts'
import type { SilentPlayers } from '../state/silent-players.ts'
import { drawCover } from './draw-cover.ts'
import { findCover } from './find-cover.ts'
import { KeptCovers } from './kept-covers.ts'
import { publishMedia } from './publish-media.ts'

/** Players look at the end of the name. */
const audioName = (quality: string, format: string) => `${quality}.${format}`

const namedPath = (trackId: string, name: string, listener?: string) =>
  `/media/audio/${trackId}/${listener === undefined ? '' : `${listener}/`}${name}`

/**
 * Where the audio of a track in a quality is, below the source's own URL.
 *
 * @param listener whose play it is
 */
export const audioPath = (trackId: string, quality: string, format: string, listener?: string) =>
  namedPath(trackId, audioName(quality, format), listener)

/** Where the cover of an album is. */
export const coverPath = (albumId: string) => `/media/cover/${albumId}`

/** The URL of a cover in another size, which its signature allows. */
export const resizeCover = (url: string, pixels: number): string => `${url}&size=${pixels}`

/** Tracks of an album whose folders and files are looked into for a cover. */
const mostTracks = 1000

/** The URL of a cover changes before this is over, so what changes is seen in time. */
const coverCaching = 'private, max-age=2592000, immutable'

/** A playlist as it is saved: its name, and ids of its tracks. */
export interface OwnTracks { readonly name: string, readonly ids: readonly string[] }

export interface FolderMediaOptions {
  folder: MusicFolder
  signer: Signer
  /** Where scaled covers are kept. */
  dataDir: string
  /** Knows what is heard by players that do not tell it. */
  silent?: SilentPlayers | undefined
  /** A playlist of an account, for a listener that may hear it. */
  ownPlaylist?: ((listener: string, id: string) => Promise<OwnTracks | undefined>) | undefined
  /** What a listener may not do or see; `undefined` for one that is gone. */
  limitsOf?: ((listener: string) => Promise<Limits | undefined>) | undefined
}

interface AudioRoute { Params: { id: string, listener?: string, name: string }, Querystring: SignedQuery }

/** Routes that players get audio and covers from: with a signature in the URL instead of a header. */
export async function mediaRoutes (
  app: FastifyInstance, { folder, signer, dataDir, silent }: FolderMediaOptions
): Promise<void> {
  for (const url of ['/media/audio/:id/:name', '/media/audio/:id/:listener/:name']) {
    app.route<AudioRoute>({ method: ['GET', 'HEAD'], url, handler: sendAudio })
  }

  async function sendAudio (request: FastifyRequest<AudioRoute>, reply: FastifyReply) {
    const sent = publishMedia(reply, 'audio')
    const { id, listener, name } = request.params
    signer.check(namedPath(id, name, listener), request.query)
    const track = folder.catalogue.tracks.get(id)
    const audio = track?.files.find(file => audioName(qualityOf(file).key, file.format) === name)
    const left = signalOf(reply)
    const file = audio && await openRegularFile(folder.root, audio.path, left)
    if (!track || !audio) throw new NotFoundError('This file is no longer there')
    if (!file) throw await missing(folder)
    reply.type(audioTypeOf(audio.format)!).header('cache-control', 'private, max-age=3600')
    const sizes = { size: file.stats.size, length: track.durationMs }
    const played = listener && silent?.follow(listener, id, sizes, request.log)
    let from: number | undefined
    return sendFile(reply, file, bytes => {
      sent(bytes)
      from ??= startOf(reply)
      if (played) played(bytes, from)
      from += bytes
    })
  }

  const store = new KeptCovers(join(dataDir, 'covers'))
  app.addHook('onClose', () => store.close())
  const scaleCover = createCoverScaler({ log: app.log, store })
  app.route<{ Params: { id: string }, Querystring: SignedQuery & { size?: unknown } }>({
    method: ['GET', 'HEAD'],
    url: '/media/cover/:id',
    async handler (request, reply) {
      const sent = publishMedia(reply, 'cover')
      const { id } = request.params
      signer.check(coverPath(id), request.query)
      const album = folder.catalogue.albums.get(id)
      if (album === undefined) throw new NotFoundError('This album is no longer there')
      const read = async () => {
        const tracks = folder.catalogue.albumTracks(album, mostTracks)
        const found = await findCover(folder.root, tracks.flatMap(({ paths }) => paths))
        const { data, type } = found ?? { data: drawCover(id), type: 'image/png' }
        return { bytes: Buffer.from(data), type }
      }
      const { size } = request.query
      const pixels = /^\d{1,5}$/.test(String(size)) ? Number(size) : 0
      const isWebp = /image\/webp/.test(String(request.headers.accept))
      const { bytes, type } = pixels > 0 ? await scaleCover(id, pixels, read, signalOf(reply), isWebp) : await read()
      addVary(reply.type(type), 'accept').headers({ 'cache-control': coverCaching, 'content-length': bytes.length })
      if (request.method === 'GET') sent(bytes.length)
      return reply.send(bytes)
    }
  })
}

/** Why a file is not there: it was taken away, or the whole disk that it is on, which may come back. */
async function missing (folder: MusicFolder): Promise<SourceError> {
  const isThere = await folder.isThere().catch(() => false)
  return isThere
    ? new NotFoundError('This file is no longer there')
    : new SourceError(503, 'The disk of the music is away')
}

/** Where the bytes of an answer are in their file. */
const startOf = (reply: FastifyReply) => Number(/^bytes (\d+)/.exec(String(reply.getHeader('content-range')))?.[1] ?? 0)
