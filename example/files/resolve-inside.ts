import { readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/**
 * The real path of a file of the folder: links are followed, but only inside it.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @returns `undefined` for what does not exist or is elsewhere
 */
export async function resolveInside (root: string, path: string): Promise<string | undefined> {
  const real = await realpath(join(root, path)).catch(() => undefined)
  return real !== undefined && isInside(root, real) ? real : undefined
}

/** Whether a link points inside the folder, even if nothing is there. */
export async function pointsInside (root: string, path: string): Promise<boolean> {
  const link = join(root, path)
  return isInside(root, resolve(dirname(link), await readlink(link)))
}

/** Whether a real path is that of the folder or of something in it. */
export function isInside (root: string, real: string): boolean {
  const inside = relative(root, real)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
