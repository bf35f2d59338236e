import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFoundError, SourceError } from 'fastify-source-origin'
import {
  audioTypeOf, bitrateOf, createCoverScaler, openFile, sendFile, sendMediaError, type SignedQuery, type Signer,
  type Transcoder
} from 'fastify-source-origin/media'
import { addVary, signalOf } from 'fastify-source-origin/serve'
import { join } from 'node:path'
import type { Limits } from '../catalogue/limits.ts'
import { qualityOf } from '../catalogue/qualities.ts'
import { limitShare } from '../files/limit-shares.ts'
import type { MusicFolder } from '../index/music-folder.ts'
import { openRegularFile } from '../files/open-regular-file.ts'
import { audioName, wantedOf } from './audio-names.ts'
import { drawCover } from './draw-cover.ts'
import { findCover } from './find-cover.ts'
import { CoverCache } from './cover-cache.ts'
import { publishMedia } from './publish-media.ts'

/**
 * Returns the path of a track's audio in a quality, below the source's URL.
 *
 * @param listener the account whose play it is
 */
export const audioPath = (trackId: string, name: string, listener?: string) =>
  `/media/audio/${trackId}/${listener === undefined ? '' : `${listener}/`}${name}`

/** Returns the path of an album's cover. */
export const coverPath = (albumId: string) => `/media/cover/${albumId}`

/** Returns the path of the drawn picture of an album without a cover. */
export const drawnPath = (id: string) => `/media/drawn/${encodeURIComponent(id)}`

/** Returns the URL of a cover in another size, which its signature allows. */
export const resizeCover = (url: string, pixels: number): string =>
  url.includes('/media/cover/') ? `${url}&size=${pixels}` : url

/** The maximum number of an album's tracks whose folders and files are searched for a cover. */
const mostTracks = 1000

/** The URL of a cover changes within this time, so that a changed cover becomes visible. */
const coverCaching = 'private, max-age=2592000, immutable'

/** A playlist to download: its name, and the ids of its tracks. */
export interface OwnTracks { readonly name: string, readonly ids: readonly string[] }

/** Counts plays by the bytes sent to players. */
interface SentBytes {
  /** Returns a function that receives the number of sent bytes and the position of the first one. */
  follow (
    listener: string, track: string, file: { readonly size: number, readonly length: number },
    log: Pick<FastifyBaseLogger, 'warn'>
  ): (bytes: number, from: number) => void
}

export interface FolderMediaOptions {
  folder: MusicFolder
  signer: Signer
  /** The folder of scaled covers. */
  dataDir: string
  /** Counts plays of players that do not report them. */
  silent?: SentBytes | undefined
  /** The transcoder. Default: files are sent unconverted. */
  transcoder?: Transcoder | undefined
  /** Returns a playlist of an account, if the listener may play it. */
  ownPlaylist?: ((listener: string, id: string) => Promise<OwnTracks | undefined>) | undefined
  /** Returns the restrictions of a listener; `undefined` if the account was deleted. */
  limitsOf?: ((listener: string) => Promise<Limits | undefined>) | undefined
}

interface AudioRoute { Params: { id: string, listener?: string, name: string }, Querystring: SignedQuery }

/** Registers the routes for audio and covers, which require a signature in the URL instead of a header. */
export async function mediaRoutes (
  app: FastifyInstance, { folder, signer, dataDir, silent, transcoder }: FolderMediaOptions
): Promise<void> {
  app.setErrorHandler(sendMediaError)
  for (const url of ['/media/audio/:id/:name', '/media/audio/:id/:listener/:name']) {
    app.route<AudioRoute>({ method: ['GET', 'HEAD'], url, handler: sendAudio })
  }

  async function sendAudio (request: FastifyRequest<AudioRoute>, reply: FastifyReply) {
    const sent = publishMedia(reply, 'audio')
    const { id, listener, name } = request.params
    signer.check(audioPath(id, name, listener), request.query)
    const track = folder.catalogue.tracks.get(id)
    const audio = track?.files.find(file => audioName(qualityOf(file).key, file.format) === name)
    const wanted = wantedOf(name, audio, track?.files[0], request.query)
    const file = audio ?? (wanted && track?.files[0])
    const left = signalOf(reply)
    const opened = file && await openRegularFile(folder.root, file.path, left)
    if (!track || !file) throw new NotFoundError('This file no longer exists')
    if (!opened) throw await missing(folder)
    reply.header('cache-control', 'private, max-age=3600')
    const follow = (size: number, first: (reply: FastifyReply) => number) => {
      const played = listener && silent?.follow(listener, id, { size, length: track.durationMs }, request.log)
      let from: number | undefined
      return (bytes: number) => {
        sent(bytes)
        from ??= first(reply)
        if (played) played(bytes, from)
        from += bytes
      }
    }
    if (wanted === undefined || transcoder === undefined) {
      reply.type(audioTypeOf(file.format)!)
      return sendFile(reply, opened, follow(opened.stats.size, startOf))
    }
    const { profile, startSeconds, isWhole } = wanted
    const { size, mtimeMs } = opened.stats
    await opened.handle.close()
    const bytesOf = (seconds: number) => Math.floor(seconds * (bitrateOf(profile) ?? 0) / 8)
    return transcoder.send(reply, {
      key: [file.path, size, mtimeMs].join(),
      profile,
      startSeconds,
      isWhole,
      account: listener,
      open: async signal => {
        const audio = await limitShare(opened.path, () => openFile(folder.root, file.path), { signal })
        if (audio === undefined) throw await missing(folder)
        return audio
      },
      onBytes: follow(
        bytesOf(track.durationMs / 1000),
        reply => startSeconds === 0 ? startOf(reply) : bytesOf(startSeconds)
      )
    })
  }

  app.route<{ Params: { id: string }, Querystring: SignedQuery }>({
    method: ['GET', 'HEAD'],
    url: '/media/drawn/:id',
    async handler ({ params: { id }, query }, reply) {
      signer.check(drawnPath(id), query)
      return reply.type('image/png').header('cache-control', coverCaching).send(drawCover(id))
    }
  })

  const store = new CoverCache(join(dataDir, 'covers'))
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
      if (album === undefined) throw new NotFoundError('This album no longer exists')
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

/** Returns the error for a missing file: the file was deleted, or its disk is unavailable and may be mounted again. */
async function missing (folder: MusicFolder): Promise<SourceError> {
  const isThere = await folder.isThere().catch(() => false)
  return isThere
    ? new NotFoundError('This file no longer exists')
    : new SourceError(503, 'The disk of the music is away')
}

/** Returns the position of a response's bytes in their file. */
const startOf = (reply: FastifyReply) => Number(/^bytes (\d+)/.exec(String(reply.getHeader('content-range')))?.[1] ?? 0)
