import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'node:path/posix'
import type { TrackLyrics } from 'fastify-source-origin'
import { limitShare } from '../files/limit-shares.ts'
import { readInside } from '../scan/read-inside.ts'
import { readRegularFile } from '../files/open-regular-file.ts'
import { decodeText } from '../scan/repair-encodings.ts'
import { compose } from '../text/compose.ts'
import { joinPath } from '../text/paths.ts'

/** The maximum size of lyrics: bytes of a file, characters of a tag. Larger ones are ignored. */
const longestText = 1024 * 1024

/** The time in front of a word, such as `<00:12.34>`. */
const wordTime = /<\d+:\d\d(?:[.:]\d+)?>/g

/**
 * Reads the lyrics of a recording from `name.lrc` beside one of its files, else from the tags of one of its files.
 * `name.zh.lrc` is a translation. Lyrics with word times are also returned as word lyrics. If no lyrics can be read,
 * all strings are empty.
 *
 * @param root The real path of the folder
 * @param paths The paths of the recording's files, relative to the folder
 */
export async function readLyrics (root: string, paths: readonly string[]): Promise<TrackLyrics> {
  for (const path of paths) {
    const { dir, name: written } = parse(path)
    // File names may be in the composed or the decomposed form of Unicode.
    const name = compose(written)
    const folder = join(root, dir)
    const entries = await limitShare(folder, () => readdir(folder)).catch(() => [])
    const texts = entries.filter(entry => /\.lrc$/i.test(entry)).sort()
    const own = texts.find(text => compose(text).slice(0, -4) === name)
    if (own === undefined) continue
    const translation = texts.find(text => {
      const composed = compose(text)
      return composed.startsWith(`${name}.`) && /^[a-z]{2,3}(-\w+)*$/i.test(composed.slice(name.length + 1, -4))
    })
    const text = await readText(root, dir, translation)
    const translated = text && `[la:${languageIn(translation!)}]\n${text}`
    const lines = await readText(root, dir, own)
    if (lines !== '' || translated !== '') return withWordTimes(lines, translated)
  }
  for (const path of paths) {
    const text = await readInside('lyrics', root, path) ?? ''
    const lines = text.length > longestText ? '' : withPlainLines(text)
    if (lines !== '') return withWordTimes(lines, '')
  }
  return withWordTimes('', '')
}

/** Returns the language at the end of a translation's file name, such as `zh`. */
const languageIn = (name: string) => parse(name.slice(0, -4)).ext.slice(1)

async function readText (root: string, dir: string, name: string | undefined): Promise<string> {
  if (name === undefined) return ''
  const bytes = await readRegularFile(root, joinPath(dir, name), longestText).catch(() => undefined)
  return bytes === undefined ? '' : withPlainLines(decodeText(bytes))
}

/** Normalises line ends and word times. Some programs write a comma before the fractions of a second. */
const withPlainLines = (text: string) =>
  text.replace(/\r\n?/g, '\n').replace(/(?<=[[<]\d+:\d\d),(?=\d+[\]>])/g, '.').trim()

function withWordTimes (text: string, translatedLyrics: string): TrackLyrics {
  const lyrics = text.replace(wordTime, '').split('\n').map(line => line.trimEnd()).join('\n')
  return { lyrics, wordLyrics: text.search(wordTime) !== -1 ? text : '', translatedLyrics }
}
