import { readFileSync } from 'node:fs'

/** Files and connections that the process may have open. At the limit Node.js cannot read its memory use. */
export const mostOpen = readMostOpen()

function readMostOpen (): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))![1])
  } catch {
    return Infinity
  }
}
