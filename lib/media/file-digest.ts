import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'

const algorithm = 'sha256'

/** Bytes behind those of the file. */
export const digestBytes = 32

export const startDigest = () => createHash(algorithm)

/** Writes the digest of a file behind it, and waits until all of it is on the disk. @param digest default: read it */
export async function appendDigest (path: string, digest?: Uint8Array): Promise<void> {
  const own = digest ?? (await readDigest(path, Infinity)).digest
  // Not made again if somebody has deleted it.
  const handle = await open(path, constants.O_WRONLY | constants.O_APPEND)
  try {
    await handle.writeFile(own)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Whether a file has the bytes that were written: a loss of power leaves short ones, and some full of zeros. */
export async function hasItsDigest (path: string): Promise<boolean> {
  const { size } = await stat(path)
  if (size < digestBytes) return false
  const { digest, rest } = await readDigest(path, size - digestBytes)
  return digest.equals(rest)
}

/** @returns the digest of the first bytes, and the bytes behind them */
async function readDigest (path: string, length: number): Promise<{ digest: Buffer, rest: Buffer }> {
  const digest = startDigest()
  const rest: Buffer[] = []
  let left = length
  for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
    digest.update(part.subarray(0, left))
    rest.push(part.subarray(left))
    left = Math.max(0, left - part.length)
  }
  return { digest: digest.digest(), rest: Buffer.concat(rest) }
}
