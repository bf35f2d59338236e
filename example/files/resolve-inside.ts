import { readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/**
 * Returns the real path of a file in the folder. Symbolic links may only point inside the folder.
 *
 * @param root The real path of the folder
 * @param path The path of the file, relative to the folder
 * @returns `undefined` if the file does not exist or is outside the folder
 */
export async function resolveInside (root: string, path: string): Promise<string | undefined> {
  const real = await realpath(join(root, path)).catch(() => undefined)
  return real !== undefined && isInside(root, real) ? real : undefined
}

/** Checks whether a symbolic link points inside the folder. Its target may be missing. */
export async function pointsInside (root: string, path: string): Promise<boolean> {
  const link = join(root, path)
  return isInside(root, resolve(dirname(link), await readlink(link)))
}

/** Checks whether a real path is the folder itself or is inside it. */
export function isInside (root: string, real: string): boolean {
  const inside = relative(root, real)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
