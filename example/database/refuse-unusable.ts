import { closeSync, existsSync, openSync } from 'node:fs'

/** @throws Error that names the file, where it is there and cannot be read and written */
export function refuseUnusable (file: string): void {
  if (existsSync(file)) closeSync(openSync(file, 'r+'))
}
