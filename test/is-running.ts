import { readFileSync } from 'node:fs'

/** Whether a process runs. One that has ended may wait for its parent to notice. */
export function isRunning (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
