import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { NotFoundError } from 'fastify-source-origin'
import { relative } from 'node:path'
import { qualityOf } from '../catalogue/qualities.ts'
import type { Library } from '../library.ts'
import { resolveInside } from '../resolve-inside.ts'
import type { Proof, Signer } from './create-signer.ts'
import { drawCover } from './draw-cover.ts'
import { findCover } from './find-cover.ts'

/** Where the audio of a track in a quality is, below the source's own URL. Players look at the end of the name. */
export const audioPath = (trackId: string, quality: string, format: string) => `/media/audio/${trackId}/${quality}.${format}`

/** Where the cover of an album is. */
export const coverPath = (albumId: string) => `/media/cover/${albumId}`

const mediaTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg', flac: 'audio/flac', m4a: 'audio/mp4', mp4: 'audio/mp4', ogg: 'audio/ogg', oga: 'audio/ogg', opus: 'audio/ogg', wav: 'audio/wav'
}

/** The URL of a cover changes before this is over, so what changes is seen in time. */
const coverCaching = 'private, max-age=2592000, immutable'

/** Routes that players get audio and covers from: with a signature in the URL instead of a header. */
export async function mediaRoutes (app: FastifyInstance, { library, signer }: { library: Library, signer: Signer }): Promise<void> {
  await app.register(fastifyStatic, { serve: false })

  app.route<{ Params: { id: string, name: string }, Querystring: Proof }>({
    method: ['GET', 'HEAD'],
    url: '/media/audio/:id/:name',
    async handler (request, reply) {
      const { id, name } = request.params
      signer.check(`/media/audio/${id}/${name}`, request.query)
      const audio = library.catalogue.tracks.get(id)?.files.find(file => audioPath(id, qualityOf(file).key, file.format).endsWith(`/${name}`))
      const file = audio && await resolveInside(library.root, audio.path)
      if (audio === undefined || file === undefined) throw new NotFoundError('This file is no longer there')
      return reply.type(mediaTypes[audio.format]!).header('cache-control', 'private, max-age=3600')
        .sendFile(relative(library.root, file), library.root, { contentType: false, cacheControl: false, dotfiles: 'allow' })
    }
  })

  app.route<{ Params: { id: string }, Querystring: Proof }>({
    method: ['GET', 'HEAD'],
    url: '/media/cover/:id',
    async handler (request, reply) {
      const { id } = request.params
      signer.check(coverPath(id), request.query)
      const album = library.catalogue.albums.get(id)
      if (album === undefined) throw new NotFoundError('This album is no longer there')
      const found = await findCover(library.root, album.tracks.flatMap(({ paths }) => paths))
      const { data, type } = found ?? { data: drawCover(id), type: 'image/png' }
      return reply.type(type).header('cache-control', coverCaching).header('content-length', data.length).send(Buffer.from(data))
    }
  })
}
