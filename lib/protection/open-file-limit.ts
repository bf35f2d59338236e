import { readFileSync } from 'node:fs'

/**
 * The maximum number of open files and connections of the process. At the limit, Node.js cannot read its memory usage.
 */
export const mostOpen = readMostOpen()

function readMostOpen (): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))![1])
  } catch {
    return Infinity
  }
}
