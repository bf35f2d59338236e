import { rmSync, writeFileSync } from 'node:fs'
import { isNoRoom } from './reserve-disk-space.ts'

/** The bytes of a test write that finds the reason of a failed write: about the size of a commit. */
const attemptSize = 1024 * 1024

/**
 * Returns the reason of an error. The driver reports a failed write without its reason, so a test write finds the error
 * of the system. The message for a full disk is in plain words. Other errors are returned unchanged.
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
