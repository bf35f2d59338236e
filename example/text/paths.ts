import { basename, dirname } from 'node:path/posix'

/** Splits a path into its folder, which is empty for the music folder itself, and its name. */
export const splitPath = (path: string): [folder: string, name: string] => {
  const folder = dirname(path)
  return [folder === '.' ? '' : folder, basename(path)]
}

export const joinPath = (folder: string, name: string): string => folder === '' ? name : `${folder}/${name}`
