import { basename, dirname } from 'node:path/posix'

/** The folder of a path, with nothing for the music folder itself, and the name in it. */
export const splitPath = (path: string): [folder: string, name: string] => {
  const folder = dirname(path)
  return [folder === '.' ? '' : folder, basename(path)]
}

export const joinPath = (folder: string, name: string): string => folder === '' ? name : `${folder}/${name}`
