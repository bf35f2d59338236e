import { readFileSync } from 'node:fs'
import { StartError } from '../tell/start-error.ts'

/** Files and connections that the process may have open. At the limit Node.js cannot read its memory use. */
export const mostOpen = readMostOpen()

/** Enough to load the example: Node.js opens hundreds of modules at once. */
const leastOpen = 512

/** @throws StartError where the process may have too few files open */
export function needFiles (): void {
  if (mostOpen >= leastOpen) return
  throw new StartError(`The limit of open files must be ${leastOpen} or more (ulimit -Hn): it is ${mostOpen}`)
}

function readMostOpen (): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))![1])
  } catch {
    return Infinity
  }
}
