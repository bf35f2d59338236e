import { rmSync, writeFileSync } from 'node:fs'

/** Bytes that are written to learn why a write has failed: about as many as those of a commit. */
const attemptSize = 1024 * 1024

/** What the system says where the driver tells of a failed write and not why; otherwise the error itself. */
export function reasonOf (error: Error, file: string | undefined): Error {
  if (file === undefined || error.message !== 'disk I/O error') return error
  const attempt = `${file}.attempt`
  let reason = error
  try {
    writeFileSync(attempt, Buffer.alloc(attemptSize))
  } catch (found) {
    reason = found as Error
  }
  rmSync(attempt, { force: true })
  return reason
}
