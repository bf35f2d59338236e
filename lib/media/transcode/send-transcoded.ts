import type { FastifyReply, FastifyRequest } from 'fastify'
import { signalOf } from '../../async/on-response-close.ts'
import { NotFoundError } from '../../contract/errors.ts'
import type { MediaName } from '../media-path.ts'
import { openFile } from '../open-file.ts'
import { mediaHeaders, type ReadyFileKind, type ReadyKind } from '../send-media.ts'
import type { Transcoder, Transcoding } from './transcoder-options.ts'
import { openWhole } from './open-whole.ts'

/** Seconds that a client may cache a transcoding. */
export const transcodingKeptFor = 3600

/** Responds with media of `mediaProxy` in another format. */
export async function sendTranscoded (
  transcoder: Pick<Transcoder, 'send'>, asked: Pick<Transcoding, 'profile' | 'startSeconds' | 'isWhole'>,
  kind: ReadyKind | ReadyFileKind, { kind: name, params, name: fileName }: MediaName,
  { log }: FastifyRequest, reply: FastifyReply
): Promise<FastifyReply> {
  reply.headers(mediaHeaders(`private, max-age=${transcodingKeptFor}`))
  const key = [name, ...Object.entries(params).sort().flat()]
  if (!('file' in kind)) {
    const extension = fileName.slice(fileName.lastIndexOf('.') + 1)
    return transcoder.send(reply, {
      ...asked,
      key: JSON.stringify(key),
      open: signal => openWhole(kind, extension, refused =>
        kind.locations.locate(params, { signal, log, refused }), signal)
    })
  }
  const path = await kind.file.file({ ...params }, { signal: signalOf(reply), log })
  const open = async () => {
    const file = path ? await openFile(kind.file.root, path) : undefined
    if (file === undefined) throw new NotFoundError('File not found')
    return file
  }
  const { handle, stats: { size, mtimeMs } } = await open()
  await handle.close()
  return transcoder.send(reply, { ...asked, key: JSON.stringify([...key, size, mtimeMs]), open })
}
