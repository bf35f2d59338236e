import { idOf } from '../../../example/scan/identify.ts'
import type { AudioFile } from '../../../example/scan/read-audio-file.ts'

/** What is read of a file that has this title. */
export const audioFile = (path: string, title: string, more: Partial<AudioFile> = {}): AudioFile => ({
  path,
  size: 1,
  mtimeMs: 1,
  trackId: idOf(path),
  title,
  artists: ['-'],
  album: '-',
  albumArtists: ['-'],
  genres: [],
  durationMs: 1,
  format: 'mp3',
  lossless: false,
  bitrate: 1,
  audio: '',
  added: 1,
  ...more
})
