import type { FilesOf } from 'fastify-source-origin/page'
import { join } from 'node:path'
import { owner } from './owner.ts'
import type { MusicFolder } from '../index/music-folder.ts'

/** Returns the paths of files only for the owner, because paths reveal the setup of the server. */
export const pageFiles = (folder: MusicFolder): FilesOf => ({ account, accountName = account }) =>
  accountName !== owner
    ? undefined
    : {
        folder: folder.root,
        leftOut: folder.leftOut,
        pathOf: id => {
          const [file] = folder.catalogue.tracks.get(id)?.files ?? []
          return file && join(folder.root, file.path)
        }
      }
