import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { limitShare } from '../files/limit-shares.ts'
import { aboveDisc } from '../scan/guess-from-path.ts'
import { readInside } from '../scan/read-inside.ts'
import { readRegularFile } from '../files/open-regular-file.ts'
import { isWhole, largestPicture, pictureOf, type Picture } from '../scan/picture-of.ts'

/** The maximum number of files that are searched for a picture. */
const mostFiles = 20

const names = ['cover', 'folder', 'front', 'album']

/**
 * Finds the cover of an album: `cover.*`, `folder.*`, `front.*` or `album.*` above the folders of its discs, next to
 * its files or, if these are in several folders, one folder above; else a picture inside of one of the files.
 *
 * @param root real path of the folder
 * @param paths files of the album, relative to it
 */
export async function findCover (root: string, paths: readonly string[]): Promise<Picture | undefined> {
  const folders = new Set(paths.map(path => dirname(path)))
  // A truncated picture is better than none.
  let cut: Picture | undefined
  const above = folders.size > 1 ? [...folders].map(folder => dirname(folder)) : []
  // A folder `CD1` may have a cover of the disc.
  const ofAlbum = [...folders].map(aboveDisc).filter(folder => folder !== undefined)
  for (const folder of new Set([...ofAlbum, ...folders, ...above])) {
    const picture = await readFolderPicture(root, folder)
    if (isWhole(picture)) return picture
    cut ??= picture
  }
  for (const path of paths.slice(0, mostFiles)) {
    const picture = await readInside('picture', root, path)
    if (isWhole(picture)) return picture
    cut ??= picture
  }
  return cut
}

async function readFolderPicture (root: string, folder: string): Promise<Picture | undefined> {
  let cut: Picture | undefined
  const real = join(root, folder)
  const entries = await limitShare(real, () => readdir(real)).catch(() => [])
  const rankOf = (entry: string) => names.indexOf(entry.toLowerCase().replace(/\.[a-z]+$/, ''))
  for (const entry of entries.filter(entry => rankOf(entry) !== -1).sort((a, b) => rankOf(a) - rankOf(b))) {
    // A picture that cannot be read is skipped, as inside of a file.
    const data = await readRegularFile(root, `${folder}/${entry}`, largestPicture).catch(() => undefined)
    const picture = pictureOf(data)
    if (isWhole(picture)) return picture
    cut ??= picture
  }
  return cut
}
