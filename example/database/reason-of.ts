import { rmSync, writeFileSync } from 'node:fs'
import { isNoRoom } from './leave-room.ts'

/** Bytes that are written to learn why a write has failed: about as many as those of a commit. */
const attemptSize = 1024 * 1024

/**
 * What the system says where the driver tells of a failed write and not why; otherwise the error itself. Of a full disk
 * it is told in words.
 */
export function reasonOf (error: Error, file: string | undefined): Error {
  if (file === undefined || error.message !== 'disk I/O error') return inWords(error)
  const attempt = `${file}.attempt`
  let reason = error
  try {
    writeFileSync(attempt, Buffer.alloc(attemptSize))
  } catch (found) {
    reason = inWords(found as Error)
  }
  rmSync(attempt, { force: true })
  return reason
}

const inWords = (error: Error): Error => isNoRoom(error) && !error.message.includes('disk is full')
  ? new Error(`the disk is full (${error.message})`, { cause: error })
  : error
