export const jsonType = 'application/json; charset=utf-8'

const byExtension: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  alac: 'audio/mp4',
  aac: 'audio/aac',
  ac3: 'audio/ac3',
  eac3: 'audio/eac3',
  mp2: 'audio/mpeg',
  adpcm: 'audio/wav',
  speex: 'audio/ogg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  mka: 'audio/x-matroska',
  webm: 'audio/webm',
  wma: 'audio/x-ms-wma',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  ape: 'audio/x-ape',
  dsf: 'audio/x-dsf',
  wv: 'audio/x-wavpack',
  mp4: 'video/mp4',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif'
}

/** @param extension with or without its dot */
export const mediaTypeOf = (extension: string): string | undefined =>
  byExtension[extension.toLowerCase().replace('.', '')]

/**
 * Returns the type of an audio file, also for `.mp4`.
 *
 * @param extension with or without its dot
 * @returns `undefined` for an unknown extension
 */
export const audioTypeOf = (extension: string): string | undefined =>
  mediaTypeOf(extension)?.replace('video/', 'audio/')
