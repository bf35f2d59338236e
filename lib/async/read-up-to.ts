/** The part of a body that was read. */
export interface ReadBody {
  readonly bytes: Uint8Array
  /** If `true`, the body has no further bytes. */
  readonly isWhole: boolean
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Reads a body up to a limit into one buffer, so that a body in chunks of one byte needs no more memory than another.
 * The rest is cancelled.
 *
 * @param most bytes
 * @throws the error of the body
 */
export async function readUpTo (body: Chunks | ReadableStream<Uint8Array>, most: number): Promise<ReadBody> {
  let buffer = new Uint8Array()
  let length = 0
  for await (const chunk of chunksOf(body)) {
    const part = chunk.subarray(0, most - length)
    if (length + part.length > buffer.length) buffer = grown(buffer, Math.min(most, 2 * (length + part.length)))
    buffer.set(part, length)
    length += part.length
    if (part.length < chunk.length) return { bytes: buffer.subarray(0, length), isWhole: false }
  }
  return { bytes: buffer.subarray(0, length), isWhole: true }
}

function grown (bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const buffer = new Uint8Array(length)
  buffer.set(bytes)
  return buffer
}

/** Iterates over the chunks. Some browsers cannot iterate streams. */
async function * chunksOf (body: Chunks | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  if (!('getReader' in body)) return yield * body
  const reader = body.getReader()
  try {
    for (let read; !(read = await reader.read()).done;) yield read.value
  } finally {
    // After the end of the stream, `cancel` does nothing.
    reader.cancel().catch(() => {})
  }
}
