import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import type { IPicture } from 'music-metadata'
import { limitShare } from '../limit-shares.ts'
import { readRegularFile } from '../open-regular-file.ts'
import { parseAudio } from '../parse-audio.ts'

export interface Picture { readonly data: Uint8Array, readonly type: string }

/** Bytes; what is larger is no cover. */
const largestPicture = 20 * 1024 * 1024

/** Files that are looked into for a picture. */
const mostFiles = 20

const names = ['cover', 'folder']

/** The beginnings of pictures. What a tag or a name says is not believed: a browser would show it as what it says. */
const types: readonly [type: string, beginning: RegExp][] = [
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF....WEBP/s]
]

/**
 * The cover of an album: `cover.*` or `folder.*` beside its files or, for discs in folders of their own, above; else a
 * picture inside of one of the files.
 *
 * @param root real path of the folder
 * @param paths files of the album, relative to it
 */
export async function findCover (root: string, paths: readonly string[]): Promise<Picture | undefined> {
  const folders = new Set(paths.map(path => dirname(path)))
  const above = folders.size > 1 ? [...folders].map(folder => dirname(folder)) : []
  for (const folder of new Set([...folders, ...above])) {
    const picture = await readFolderPicture(root, folder)
    if (picture !== undefined) return picture
  }
  for (const path of paths.slice(0, mostFiles)) {
    const picture = await readEmbeddedPicture(root, path)
    if (picture !== undefined) return picture
  }
  return undefined
}

async function readFolderPicture (root: string, folder: string): Promise<Picture | undefined> {
  const real = join(root, folder)
  const entries = await limitShare(real, () => readdir(real)).catch(() => [])
  const rankOf = (entry: string) => names.indexOf(entry.toLowerCase().replace(/\.[a-z]+$/, ''))
  for (const entry of entries.filter(entry => rankOf(entry) !== -1).sort((a, b) => rankOf(a) - rankOf(b))) {
    // One that the system does not let us read is none, as one inside of a file.
    const data = await readRegularFile(root, `${folder}/${entry}`, largestPicture).catch(() => undefined)
    const picture = pictureOf(data)
    if (picture !== undefined) return picture
  }
  return undefined
}

async function readEmbeddedPicture (root: string, path: string): Promise<Picture | undefined> {
  const metadata = await parseAudio(root, path).catch(() => undefined)
  // Programs that show both sides may write the back first.
  const isFront = ({ type }: IPicture) => Number(type === 'Cover (front)')
  const pictures = metadata?.common.picture?.toSorted((a, b) => isFront(b) - isFront(a))
  return pictures?.map(({ data }) => pictureOf(data)).find(picture => picture !== undefined)
}

function pictureOf (data: Uint8Array | undefined): Picture | undefined {
  if (data === undefined || data.length > largestPicture) return undefined
  const beginning = Buffer.from(data.subarray(0, 12)).toString('latin1')
  const type = types.find(([, pattern]) => pattern.test(beginning))?.[0]
  return type === undefined ? undefined : { data, type }
}
