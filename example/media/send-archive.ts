import { makeZip, predictLength } from 'client-zip'
import type { FastifyReply } from 'fastify'
import { readPart } from 'fastify-source-origin/media'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { openRegularFile, type OpenedFile } from '../files/open-regular-file.ts'
import type { PackedFile } from './pack-files.ts'

/**
 * Responds with files as an uncompressed ZIP, one after the other. A file whose size has changed closes the connection:
 * otherwise a damaged archive would look complete.
 *
 * @param root real path of the music folder
 * @param signal ends the wait for a network share
 * @param sent called with the number of sent bytes of the files
 */
export function sendArchive (
  reply: FastifyReply, root: string, files: readonly PackedFile[], signal: AbortSignal, sent: (bytes: number) => void
): FastifyReply {
  reply.type('application/zip').header('content-length', String(predictLength(files.map(nameAndSize))))
  if (reply.request.method === 'HEAD') return reply.send()
  let open: OpenedFile | undefined
  async function * read () {
    for (const { name, path, size } of files) {
      open = await openRegularFile(root, path, signal)
      if (open?.stats.size !== size) throw new Error(`${path} was changed while an archive was sent`)
      yield { name, size, lastModified: open.stats.mtime, input: readPart(open, 0, size - 1, sent) }
      await close()
    }
  }
  async function close () {
    const file = open
    open = undefined
    await file?.handle.close()
  }
  const stream = Readable.fromWeb(makeZip(read()) as ReadableStream, { objectMode: false })
  return reply.send(stream.once('close', close))
}

const nameAndSize = ({ name, size }: PackedFile) => ({ name, size })
