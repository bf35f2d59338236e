/**
 * Makes a collection of 10,000 files like the ones that people have: `node make-collection.ts FOLDER` (Node 22 or
 * later, ffmpeg).
 *
 * mp3, wav and flac are written here; m4a, ogg and opus are copies that ffmpeg puts tags into. It is the same on every
 * run.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { mp3, wav, type Tags } from '../example/make-audio.ts'

const run = promisify(execFile)
const demo = join(import.meta.dirname, '../../example/music')
const target = process.argv[2]!
const total = 10_000
const withFfmpeg = 900

/** A random number generator that gives the same numbers every time. */
let state = 42
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}
const below = (limit: number) => Math.floor(random() * limit)
const one = <T>(of: readonly T[]): T => of[below(of.length)]!

const words = {
  en: 'love river night blue heart stone dance silver road home light dream fire rain summer gold'.split(' '),
  de: 'Liebe Fluß Nacht Öl Herz Stein Tänze Straße Heimat Licht Träume Feuer Regen Größe Gold Übermut'.split(' '),
  fr: 'été rivière nuit cœur forêt île garçon où déjà noël façade fenêtre château hôtel être âme'.split(' '),
  ru: 'любовь река ночь сердце камень танец дорога дом свет мечта огонь дождь лето золото'.split(' '),
  zh: [...'春江花月夜山水风云歌梦雨雪星光海天城路灯茉莉'],
  ja: 'さくら 夜空 ひかり 恋 ガール 東京 夢 うた 花火 海'.split(' ')
}
type Language = keyof typeof words
const languages = Object.keys(words) as Language[]
const genres = [
  'Rock', 'Pop', 'Jazz', 'Classical', 'Folk', 'Electronic', 'Hip-Hop', 'World', 'Ambient', 'Metal', '民謡', 'Soul; Funk'
]

const phrase = (language: Language, count: number) => {
  const chosen = Array.from({ length: count }, () => one(words[language]))
  return chosen.join(language === 'zh' ? '' : ' ')
}

const plain = (name: string) => name.replace(/[/\0]/g, '_')
const put = (path: string, content: string | Uint8Array) => {
  const file = join(target, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/** The demo flac with other tags. */
const flacBase = readFileSync(join(demo, 'Ada Plume/Plucked at Dawn/01 Prelude in C.flac'))
function flac (tags: Tags): Buffer {
  let end = 4
  for (let last = false; !last; end += 4 + flacBase.readUIntBE(end + 1, 3)) last = flacBase[end]! >= 128
  const names = {
    title: 'TITLE',
    artist: 'ARTIST',
    album: 'ALBUM',
    albumArtist: 'ALBUMARTIST',
    track: 'TRACKNUMBER',
    disc: 'DISCNUMBER',
    date: 'DATE',
    genre: 'GENRE'
  }
  const text = (value: string) => {
    const bytes = Buffer.from(value)
    const length = Buffer.alloc(4)
    length.writeUInt32LE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const comments = Object.entries(names).flatMap(([name, field]) => {
    const value = tags[name as keyof typeof names]
    return value === undefined ? [] : [text(`${field}=${value.replace(/\/\d+$/, '')}`)]
  })
  const count = Buffer.alloc(4)
  count.writeUInt32LE(comments.length)
  const body = Buffer.concat([text('bench'), count, ...comments])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  head[0] = 0x84
  return Buffer.concat([
    flacBase.subarray(0, 4), Buffer.from([0]), flacBase.subarray(5, 42), head, body,
    flacBase.subarray(end, end + 150_000)
  ])
}

const bases = {
  m4a: 'Ada Plume/Plucked at Dawn/02 Greensleeves.m4a',
  ogg: 'Nils Öhlin/Nachtorgel/2-01 Kanon in D.ogg',
  opus: 'Nils Öhlin/Nachtorgel/1-02 Menuett in G.opus'
}
const jobs: (() => Promise<unknown>)[] = []

/** A file of a format that ffmpeg tags. */
function copyTagged (stem: string, format: keyof typeof bases, tags: Tags): void {
  const path = `${stem}.${format}`
  const names = {
    title: 'title',
    artist: 'artist',
    album: 'album',
    albumArtist: 'album_artist',
    track: 'track',
    disc: 'disc',
    date: 'date',
    genre: 'genre'
  }
  const metadata = Object.entries(names).flatMap(([name, field]) =>
    ['-metadata', `${field}=${tags[name as keyof typeof names] ?? ''}`])
  mkdirSync(dirname(join(target, path)), { recursive: true })
  jobs.push(() => run('ffmpeg', [
    '-v', 'error', '-y', '-i', join(demo, bases[format]), '-map', '0:a', '-c', 'copy', '-t', '5', '-map_metadata', '-1',
    ...metadata, join(target, path)
  ]))
}

let made = 0
let album = 0
while (made < total) {
  const language = one(languages)
  const artist = album % 25 === 0 ? 'Various Artists' : `${phrase(language, 1 + below(2))} ${below(400)}`
  const name = `${phrase(language, 1 + below(3))} ${album}`
  const discs = below(10) === 0 ? 2 : 1
  const date = one(['', '1969', '1984-05', '1999-12-31', '2010', '2023', '0000', '99999'])
  const genre = one(genres)
  const style = one(['mp3', 'mp3', 'mp3', 'flac', 'mixed', 'both', 'wav'])
  const deep = album % 40 === 0 ? 'one/two/three/four/five/six/seven/eight/nine/' : ''
  const odd = [' "quoted"', " it's", ' 😀', ' 100% #1?', ''][album % 5]
  const folder = `${deep}${plain(artist)}/${plain(name)}${odd}`
  for (let disc = 1; disc <= discs; disc++) {
    const count = 4 + below(12)
    for (let track = 1; track <= count && made < total; track++) {
      const title = `${phrase(language, 1 + below(4))} ${made}`
      const tags: Tags = {
        title,
        artist: artist === 'Various Artists' ? phrase(one(languages), 2) : artist,
        album: name,
        ...(artist === 'Various Artists' ? { albumArtist: artist } : {}),
        track: `${track}/${count}`,
        ...(discs > 1 ? { disc: `${disc}/${discs}` } : {}),
        ...(date === '' ? {} : { date }),
        genre
      }
      const long = made % 300 === 7
      const stem = long
        ? 'x'.repeat(240) + String(made).padStart(5, '0')
        : `${discs > 1 ? `${disc}-` : ''}${String(track).padStart(2, '0')} ${plain(title)}`
      const path = `${folder}/${stem}`
      if (made % 97 === 3) {
        put(`${path}.${one(['mp3', 'flac', 'm4a', 'ogg', 'wav'])}`, one([
          '', 'This is no audio. '.repeat(50), Buffer.alloc(3000)
        ]))
      } else if (made % 11 === 5 && made / 11 < withFfmpeg) copyTagged(path, one(['m4a', 'ogg', 'opus']), tags)
      else if (made % 50 === 9) put(`${path}.mp3`, Buffer.concat([mp3({}), Buffer.from(String(made).padStart(8))]))
      else if (made % 60 === 11) put(`${path}.mp3`, mp3({ ...tags, title: title.repeat(500), track: '-3/0' }))
      else if (style === 'wav') put(`${path}.wav`, wav(tags))
      else if (style === 'flac' || (style === 'mixed' && track % 2 === 0)) put(`${path}.flac`, flac(tags))
      else if (style === 'both') {
        put(`${path}.flac`, flac(tags))
        put(`${path}.mp3`, mp3(tags, { high: true, seconds: 10 }))
        made++
      } else {
        put(`${path}.mp3`, mp3(tags, {
          encoding: language === 'ru' && album % 3 === 0 ? 'utf8AsLatin1' : 'utf8',
          seconds: 2 + below(5),
          high: below(2) === 0
        }))
      }
      made++
    }
  }
  if (album % 3 === 0) put(`${folder}/cover.jpg`, readFileSync(join(demo, 'Nils Öhlin/Nachtorgel/cover.jpg')))
  album++
}
symlinkSync('.', join(target, 'circle'))
const waiting = jobs.values()
await Promise.all([1, 2, 3].map(async () => { for (const job of waiting) await job() }))
process.stdout.write(`${made} files of ${album} albums\n`)
