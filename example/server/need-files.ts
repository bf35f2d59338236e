import fs from 'node:fs'
import { StartError } from '../start/start-error.ts'

const limits = '/proc/self/limits'
/** The number of open files that the example needs to load: Node.js opens hundreds of modules at once. */
const leastOpen = 512

/**
 * Checks the limit of open files. It uses no code of the package, because it runs before the package is loaded.
 *
 * @throws StartError if the limit is too low
 */
export function needFiles (): void {
  // Only Linux has this file.
  if (!fs.existsSync(limits)) return
  const [, mostOpen] = /^Max open files +(\d+)/m.exec(fs.readFileSync(limits, 'utf8'))!
  if (Number(mostOpen) >= leastOpen) return
  throw new StartError(`The limit of open files must be ${leastOpen} or more (ulimit -Hn): it is ${mostOpen}`)
}
