import type { IAudioMetadata } from 'music-metadata'
import { extname } from 'node:path'
import type { FileReader } from './file-reader.ts'
import { skipTags } from './measure-mpeg.ts'

/** File signatures after ID3 tags, with the format, media type and extensions. */
const formats: readonly { begins: RegExp, format: string, type: string, extensions: RegExp }[] = [
  { begins: /^fLaC/, format: 'flac', type: 'audio/flac', extensions: /^flac$/ },
  { begins: /^OggS/, format: 'ogg', type: 'audio/ogg', extensions: /^(ogg|oga|opus)$/ },
  { begins: /^....ftyp/s, format: 'm4a', type: 'audio/mp4', extensions: /^(m4a|m4b|mp4)$/ },
  { begins: /^RIFF....WAVE/s, format: 'wav', type: 'audio/wav', extensions: /^wav$/ },
  { begins: /^\p{Cc}E\xdf\xa3/u, format: 'mka', type: 'audio/matroska', extensions: /^(mka|webm)$/ },
  { begins: /^\xff[\xf0\xf1\xf8\xf9]/, format: 'aac', type: 'audio/aac', extensions: /^(aac|mp3)$/ },
  { begins: /^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/, format: 'mp3', type: 'audio/mpeg', extensions: /^(aac|mp3)$/ }
]

/** Codecs that browsers do not play, by their names in music-metadata. */
const notInBrowsers: readonly [name: RegExp, codec: string][] = [
  [/^ALAC/, 'alac'], [/^AC-3/, 'ac3'], [/^(?:E-?AC-3|EAC3)/, 'eac3'], [/^Speex/, 'speex'], [/^ADPCM/, 'adpcm'],
  [/^MPEG \d(?:\.\d)? Layer [12]$/, 'mp2']
]

/** Rare formats, which some browsers do not play, by file extension. */
const rare: Readonly<Record<string, string>> =
  { aif: 'aiff', aiff: 'aiff', ape: 'ape', dsf: 'dsf', wma: 'wma', wv: 'wv' }

/** Returns whether a codec, as named by `odd`, is rare among players. */
export const isRare = (codec: string | undefined): boolean => codec !== undefined && Object.hasOwn(rare, codec)

/** Returns the codec of a file, if browsers do not play it. */
export const odd = (codec: string | undefined, format: string): string | undefined =>
  rare[format] ?? notInBrowsers.find(([name]) => name.test(String(codec)))?.[1]

/** Matches uncompressed codecs of WAV and AIFF, including floating point, and WAV of many channels or bits. */
const plain = /^(?:PCM|IEEE_FLOAT|non-PCM \(65534\)|\d\d-bit floating point)/

/** Returns whether a file is lossless. music-metadata does not report that for all WAV and AIFF files. */
export const isLossless = ({ container, codec, lossless }: IAudioMetadata['format']): boolean =>
  lossless === true || (/^(?:WAVE|AIFF)/.test(String(container)) && plain.test(String(codec)))

/**
 * Returns the format of a file by its extension, unless its signature differs. The reader then has the media type,
 * which music-metadata prefers to the extension.
 */
export async function readFormat (reader: FileReader): Promise<string> {
  const extension = extname(reader.fileInfo.path).slice(1).toLowerCase()
  const head = (await reader.read(await skipTags(reader), 12)).toString('latin1')
  if (extension === 'aac' && /^\x56[\xe0-\xff]/.test(head)) throw new Error('This is LATM, which players do not open')
  const other = formats.find(({ begins }) => begins.test(head))
  if (other === undefined || other.extensions.test(extension)) return extension
  reader.fileInfo.mimeType = other.type
  return other.format
}
