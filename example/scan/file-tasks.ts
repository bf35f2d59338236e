import { embeddedLyrics } from './embedded-lyrics.ts'
import { embeddedPicture } from './embedded-picture.ts'
import { readAudioFile } from './read-audio-file.ts'

/**
 * The tasks of a worker, since a valid file can make music-metadata take minutes and gigabytes. Each makes one file
 * system call at a time.
 */
export const fileTasks = {
  tags: readAudioFile,
  lyrics: embeddedLyrics,
  picture: embeddedPicture
}

export type FileTask = keyof typeof fileTasks
export type FileResult<Task extends FileTask> = Awaited<ReturnType<typeof fileTasks[Task]>>
