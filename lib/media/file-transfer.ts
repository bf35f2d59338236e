import type { FastifyReply } from 'fastify'
import { extname } from 'node:path'
import { onResponseClose } from '../async/on-response-close.ts'
import { NotFoundError } from '../contract/errors.ts'
import { mediaTypeOf } from '../text/media-type-of.ts'
import type { FileCall, FileKind } from './file-kind.ts'
import { openFile, type OpenFile } from './open-file.ts'
import type { Media, Wanted } from './open-media.ts'
import { answerFile, readPart } from './send-file.ts'

/** The file that is sent for one client request. */
export class FileTransfer {
  /** The count of bytes that were read for the client. */
  bytes = 0
  /** The number of calls of `file`. */
  resolutions = 0
  readonly location = undefined
  readonly #conditions: FastifyReply['request']['headers']
  readonly #over = new AbortController()
  #file: OpenFile | undefined

  /** @param reply the file is closed when this response ends, for any reason */
  constructor ({ raw, request }: FastifyReply) {
    this.#conditions = request.headers
    onResponseClose(raw, () => {
      this.#over.abort()
      this.#file?.handle.close().catch(() => {})
    })
  }

  /**
   * @throws NotFoundError; errors of `file`; the system's error if the file cannot be opened; the reason of the signal
   */
  async open (
    kind: FileKind, params: Record<string, string>, { head, range }: Wanted, { signal, log }: FileCall
  ): Promise<Media> {
    this.resolutions++
    const path = await kind.file({ ...params }, { signal, log })
    if (path !== undefined && path !== null && typeof path !== 'string') {
      throw new TypeError('file must give the path of a file, undefined or null')
    }
    const file = path ? await openFile(kind.root, path) : undefined
    if (file === undefined) throw new NotFoundError('File not found')
    if (this.#over.signal.aborted) {
      await file.handle.close()
      throw signal.reason
    }
    this.#file = file
    const { part, ...answer } = answerFile(file, this.#conditions, range)
    const count = (bytes: number) => { this.bytes += bytes }
    return {
      ...answer,
      type: mediaTypeOf(extname(path!)),
      ...part && !head && { body: readPart(file, part.start, part.end, count, this.#over.signal) }
    }
  }
}
