const byExtension: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  mka: 'audio/x-matroska',
  webm: 'audio/webm',
  mp4: 'video/mp4',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif'
}

/** @param extension with or without its dot */
export const typeOf = (extension: string): string | undefined => byExtension[extension.toLowerCase().replace('.', '')]

const lossless = ['flac', 'wav', 'alac', 'aiff', 'aif', 'ape', 'wv', 'tta', 'dsf', 'dff', 'shn']

/** @param format as files are named by it */
export const isLossless = (format = ''): boolean => lossless.includes(format.toLowerCase())

/** What a kind of media may be unless it says otherwise. */
export const defaultTypes =
  /^(audio\/.+|video\/mp4|application\/ogg|(application|binary)\/octet-stream|image\/(jpeg|png|gif|webp|avif))$/

/** Types that say nothing of what it is. */
const unknown = /^((application|binary)\/octet-stream)?$/

/** Types that browsers run as a part of the origin that serves them. Of a list of types they take the last one. */
const active = /html|xml|svg|script/i

/**
 * The type to send: the upstream's, or where that says nothing the resolved one, or that of the extension.
 *
 * @returns `undefined` if it is none of the allowed types
 */
export function chooseType (
  upstream: string | undefined, resolved: string | undefined, extension: string, allowed: RegExp
): string | undefined {
  const essence = (type: string) => type.split(';')[0]!.trim().toLowerCase()
  const known = upstream !== undefined && !unknown.test(essence(upstream)) ? upstream : undefined
  const type = known ?? resolved ?? typeOf(extension) ?? upstream ?? ''
  // `search` takes no notice of the flags g and y, with which `test` would go on where it stopped.
  return essence(type).search(allowed) !== -1 && !active.test(type) ? type : undefined
}
