import fs from 'node:fs'
import { StartError } from '../start/start-error.ts'

const limits = '/proc/self/limits'
/** Enough to load the example: Node.js opens hundreds of modules at once. */
const leastOpen = 512

/**
 * Reads the limit itself: it is called before anything of the package is loaded.
 *
 * @throws StartError where the process may have too few files open
 */
export function needFiles (): void {
  // Other systems than Linux have no such file.
  if (!fs.existsSync(limits)) return
  const [, mostOpen] = /^Max open files +(\d+)/m.exec(fs.readFileSync(limits, 'utf8'))!
  if (Number(mostOpen) >= leastOpen) return
  throw new StartError(`The limit of open files must be ${leastOpen} or more (ulimit -Hn): it is ${mostOpen}`)
}
