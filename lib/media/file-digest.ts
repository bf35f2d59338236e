import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'

const algorithm = 'sha256'

/** The size of the digest after the content, in bytes. */
export const digestBytes = 32

export const startDigest = () => createHash(algorithm)

/**
 * Appends the digest of a file to it, and waits until it is synced to disk. @param digest default: computed from the
 * file
 */
export async function appendDigest (path: string, digest?: Uint8Array): Promise<void> {
  const own = digest ?? (await readDigest(path, Infinity)).digest
  // Opened without O_CREAT: a deleted file is not created again.
  const handle = await open(path, constants.O_WRONLY | constants.O_APPEND)
  try {
    await handle.writeFile(own)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Returns whether the content of a file matches its digest. A power failure leaves short files and files full of zeros.
 */
export async function hasItsDigest (path: string): Promise<boolean> {
  const { size } = await stat(path)
  if (size < digestBytes) return false
  const { digest, rest } = await readDigest(path, size - digestBytes)
  return digest.equals(rest)
}

/** @returns the digest of the first `length` bytes, and the bytes after them */
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
