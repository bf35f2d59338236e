import type { EventEmitter } from 'node:events'
import { open } from 'node:fs/promises'
import { UpstreamError } from '../../contract/errors.ts'
import type { FileCache } from '../file-cache.ts'
import { headOfAudio } from './length-of.ts'
import { isFile, type TranscodeInput } from './run-ffmpeg.ts'

/** Returns whether the file is an MP4, which may have its index at the end. */
const isMp4 = (head: Buffer) => head.toString('latin1', 4, 8) === 'ftyp'

type FileInput = Extract<TranscodeInput, { path: string }>

/** A stream of bytes that can be closed before the first read. */
interface ByteInput extends AsyncIterableIterator<Uint8Array> {
  return (): Promise<IteratorResult<Uint8Array>>
}

/** An input that ffmpeg can read. */
interface ReadyInput {
  readonly input: FileInput | ByteInput
  /** The first bytes of the input. */
  readonly head: Buffer
}

/**
 * Prepares an input for ffmpeg. An MP4 stream is written to a temporary file first, which is removed when it is closed.
 *
 * @throws errors of the input; UpstreamError if the disk is full
 */
export async function seekableInput (
  input: TranscodeInput, files: Pick<FileCache, 'begin' | 'reserve' | 'discard'>, signal: AbortSignal
): Promise<ReadyInput> {
  if (isFile(input)) {
    const { buffer, bytesRead } = await input.handle.read(Buffer.alloc(headOfAudio), 0, headOfAudio, 0)
    return { input, head: buffer.subarray(0, bytesRead) }
  }
  const parts = input[Symbol.asyncIterator]()
  const first = await parts.next()
  const all = joined(first, parts)
  const head = Buffer.from(first.done ? [] : first.value.subarray(0, headOfAudio))
  return { input: isMp4(head) ? await spooled(all, files, signal) : all, head }
}

async function spooled (
  parts: AsyncIterable<Uint8Array>, files: Pick<FileCache, 'begin' | 'reserve' | 'discard'>, signal: AbortSignal
): Promise<FileInput> {
  const path = await files.begin()
  const handle = await open(path, 'wx+', 0o600)
  // The types of the handle lack the event.
  ;(handle as object as EventEmitter).once('close', () => { files.discard(path).catch(() => {}) })
  try {
    for await (const part of parts) {
      signal.throwIfAborted()
      if (!await files.reserve(path, part.length)) throw new UpstreamError('No disk space is left to convert this file')
      await handle.writeFile(part)
    }
    return { handle, path }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Closes an input that was not read. */
export async function closeInput (input: ReadyInput['input']): Promise<void> {
  await ('handle' in input ? input.handle.close() : input.return())
}

function joined (
  first: IteratorResult<Uint8Array>, parts: AsyncIterator<Uint8Array>
): ByteInput {
  let isFirst = true
  return {
    async next () {
      if (!isFirst) return parts.next()
      isFirst = false
      return first
    },
    async return () {
      await parts.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator] () { return this }
  }
}
