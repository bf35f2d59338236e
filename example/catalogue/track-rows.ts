import type { ArtistExtras, TrackExtras } from 'fastify-source-origin'
import { sortKey } from 'fastify-source-origin/library'
import { withoutEmpty } from '../scan/clean-tags.ts'
import { artistId, idOf, plainName } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { IdChooser } from './choose-ids.ts'
import { byPath, filesOfRecording } from './file-rows.ts'
import { noteHeirs, type Belonging } from './former-ids.ts'
import { ofRecording } from './track-index.ts'
import type { TrackFile } from './catalogue-items.ts'
import type { Recordings } from './kept-file.ts'
import { freeNumber, NamedRows, numberOf, type NamedArtist } from './named-rows.ts'
import { bestFiles } from './qualities.ts'
import { indexWords } from './search-words.ts'
import { splitRecording } from './split-recording.ts'

/** The stored data of a track, without the columns that it is found by. */
export interface TrackData {
  readonly title: string
  readonly durationMs: number
  readonly genres: readonly string[]
  readonly year?: number | undefined
  /** Numbers of its artists, with their names in the track's spelling. */
  readonly artists: readonly (readonly [number: number, name: string])[]
  readonly albumArtists: readonly (readonly [number: number, name: string])[]
  readonly album: string
  /** The best file of each quality, best first. */
  readonly files: readonly TrackFile[]
  /** The paths of all files, including duplicates of a quality. */
  readonly paths: readonly string[]
  /** Additional metadata from the tags of the best file. */
  readonly extras?: TrackExtras | undefined
  /** Metadata of artists from the tags of the best file, by plain name. */
  readonly artistExtras?: Readonly<Record<string, ArtistExtras>> | undefined
  /** Changes with the tags about the album, which are stored in `album`. */
  readonly albumTags?: string | undefined
  /** The id that its tags produce, if it differs from the recording. */
  readonly key?: string
}

interface TrackRow {
  readonly number: number
  readonly id: string
  readonly path: string
  readonly album: number
  readonly disc: number
  readonly place: number
  readonly published: number | null
  readonly added: number
  readonly data: string
}

/** A track to store. */
interface NewTrack extends TrackRow {
  readonly recording: string
  /** The value of the column `data`. */
  readonly content: TrackData
}

/** Changes of track counts. Rows whose tracks were replaced are included with 0. */
export interface Touched {
  readonly albums: Map<number, number>
  /** Changes of album lengths in milliseconds. */
  readonly lengths: Map<number, number>
  readonly artists: Map<number, number>
  readonly genres: Map<string, number>
  /** Paths of files whose track has changed or was removed. */
  readonly paths: Set<string>
}

/** The previous tracks of a recording by id. */
type Before = ReadonlyMap<string, TrackRow>

/** Columns that are compared to detect a changed track; the others depend on them. */
const compared = ['data', 'album', 'disc', 'place', 'published', 'added'] as const

/** The position of tracks without a number, after all others. */
export const lastPlace = 1_000_000

/** Returns the key of a genre, equal for all spellings. */
export const genreKey = plainName

/** Updates the tracks of recordings, with their search data. */
export function makeTracks (db: IndexDatabase, recordings: Recordings): Touched {
  const touched: Touched =
    { albums: new Map(), lengths: new Map(), artists: new Map(), genres: new Map(), paths: new Set() }
  const names = new NamedRows(db, touched)
  const added: NewTrack[] = []
  const removed = new Map<string, Belonging>()
  const chooser = new IdChooser(db, recordings)
  for (const [recording, got] of recordings) {
    const rows = rowsOf(db, recording)
    const before = new Map(rows.map(row => [row.id, row]))
    const others = rows.flatMap(pathsOf).filter(path => !got.has(path))
    const files = [...got.values(), ...filesOfRecording(db, recording, others)]
    for (const track of tracksOf(recording, files.sort(byPath), names, chooser, before)) {
      const old = before.get(track.id)
      if (old !== undefined && compared.every(column => old[column] === track[column])) before.delete(track.id)
      else added.push(track)
    }
    for (const track of before.values()) removed.set(track.id, removeTrack(db, track, touched))
  }
  // The index is fastest with ascending numbers.
  for (const track of added.sort((a, b) => a.number - b.number)) {
    addTrack(db, track, touched)
    const last = removed.get(track.id)
    if (last !== undefined && chooser.isKnowing) noteHeirs(db, last, belongingOf(track, track.content))
  }
  return touched
}

/** Returns the rows of a recording. Most recordings of a first scan have none yet. */
function rowsOf (db: IndexDatabase, recording: string): TrackRow[] {
  const numbers = db.all<{ number: number }>(`SELECT number FROM (${ofRecording})`, recording)
  return numbers.map(({ number }) => db.get<TrackRow>('SELECT * FROM track WHERE number = ?', number)!)
}

const pathsOf = ({ data }: TrackRow): readonly string[] => (JSON.parse(data) as TrackData).paths

function tracksOf (
  recording: string, files: readonly AudioFile[], names: NamedRows, chooser: IdChooser, before: Before
): NewTrack[] {
  if (files.length === 0) return []
  const parts = splitRecording(recording, files)
  const ids = chooser.choose(recording, before, parts)
  return Array.from(parts, ([key, same]): NewTrack => {
    const best = bestFiles(same)
    const tags = best[0]!
    const albumArtists = names.artists(tags.albumArtists)
    const content: TrackData = {
      title: tags.title,
      durationMs: tags.durationMs,
      genres: tags.genres,
      year: tags.year,
      artists: numbered(names.artists(tags.artists)),
      albumArtists: numbered(albumArtists),
      album: tags.album,
      files: best.map(({ path, size, format, codec, lossless, bitrate }) =>
        ({ path, size, format, codec, lossless, bitrate })),
      paths: same.map(({ path }) => path),
      extras: withoutEmpty<TrackExtras>({
        ...tags.extras, displayArtist: tags.displayArtist, displayAlbumArtist: tags.displayAlbumArtist
      }),
      artistExtras: tags.artistExtras,
      albumTags: tags.albumExtras && idOf(JSON.stringify(tags.albumExtras)).slice(0, 8),
      ...key === recording ? {} : { key }
    }
    return {
      number: numberOf(tags.title, key),
      id: ids.get(key)!,
      recording,
      path: content.paths.toSorted()[0]!,
      album: names.album(tags, albumArtists),
      disc: tags.discNumber ?? 1,
      place: tags.trackNumber ?? lastPlace,
      published: tags.publishTime ?? null,
      added: Math.min(...same.map(({ added }) => added)),
      data: JSON.stringify(content),
      content
    }
  })
}

const numbered = (artists: readonly NamedArtist[]) => artists.map(({ number, name }) => [number, name] as const)

const count = <K>(counts: Map<K, number>, key: K, by: number) => counts.set(key, (counts.get(key) ?? 0) + by)

function addTrack (db: IndexDatabase, track: NewTrack, touched: Touched): void {
  const { content: data } = track
  const number = freeNumber(db, 'track', track.number)
  db.run(`
    INSERT INTO track (number, id, recording, path, album, disc, place, sort, published, added, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  number, track.id, track.recording, track.path, track.album, track.disc, track.place, sortKey(data.title),
  track.published, track.added, track.data)
  for (const [artist, { name, played }] of creditsOf(data)) {
    const extras = data.artistExtras?.[plainName(name)]
    db.run('INSERT INTO credit (artist, path, track, played, name, added, extras) VALUES (?, ?, ?, ?, ?, ?, ?)',
      artist, track.path, number, played, name, track.added, extras === undefined ? null : JSON.stringify(extras))
  }
  for (const { artist, role } of partsOf(data)) {
    db.run('INSERT OR IGNORE INTO part (artist, role, path) VALUES (?, ?, ?)', artist, role, track.path)
  }
  for (const [genre, name] of genresOf(data)) {
    db.run('INSERT INTO genre_track (genre, path, track, name, added, album) VALUES (?, ?, ?, ?, ?, ?)',
      genre, track.path, number, name, track.added, track.album)
  }
  indexWords(db, 'track', number, data.title, moreOfTrack(data))
  touch(db, track, data, 1, touched)
}

/** Returns the other texts by which a track is found. */
function moreOfTrack ({ artists, album, genres, year, extras, artistExtras = {} }: TrackData): string {
  const sortNames = [extras, ...Object.values(artistExtras)].flatMap(told => told?.sortName ?? [])
  const others = (extras?.contributors ?? []).map(({ artist }) => artist.name)
  const names = [...artists.map(([, name]) => name), album, ...sortNames, ...others, ...genres]
  return `${[...new Set(names)].join(' ')} ${year ?? ''}`
}

function removeTrack (db: IndexDatabase, track: TrackRow, touched: Touched): Belonging {
  const data = JSON.parse(track.data) as TrackData
  db.run('DELETE FROM track WHERE number = ?', track.number)
  for (const artist of creditsOf(data).keys()) {
    db.run('DELETE FROM credit WHERE artist = ? AND path = ?', artist, track.path)
  }
  for (const { artist, role } of partsOf(data)) {
    db.run('DELETE FROM part WHERE artist = ? AND role = ? AND path = ?', artist, role, track.path)
  }
  for (const genre of genresOf(data).keys()) {
    db.run('DELETE FROM genre_track WHERE genre = ? AND path = ?', genre, track.path)
  }
  db.run('DELETE FROM track_words WHERE rowid = ?', track.number)
  touch(db, track, data, -1, touched)
  return belongingOf(track, data)
}

const belongingOf = ({ album }: TrackRow, data: TrackData): Belonging =>
  ({ album, artists: [...creditsOf(data).keys()] })

function touch (db: IndexDatabase, { album }: TrackRow, data: TrackData, by: number, touched: Touched): void {
  count(touched.albums, album, by)
  count(touched.lengths, album, by * data.durationMs)
  for (const [artist, { played }] of creditsOf(data)) count(touched.artists, artist, by * played)
  for (const { artist } of partsOf(data)) {
    const known = db.get<{ number: number }>('SELECT number FROM artist WHERE id = ?', artist)
    if (known !== undefined) count(touched.artists, known.number, 0)
  }
  for (const genre of genresOf(data).keys()) count(touched.genres, genre, by)
  for (const path of data.paths) touched.paths.add(path)
}

/** Returns the album artists and the performers. */
function creditsOf ({ albumArtists, artists }: TrackData) {
  const credits = new Map(albumArtists.map(([number, name]) => [number, { name, played: 0 }]))
  for (const [number, name] of artists) credits.set(number, { name: credits.get(number)?.name ?? name, played: 1 })
  return credits
}

/** Returns the ids of contributors to a track, with or without a row. */
const partsOf = ({ extras }: TrackData) =>
  (extras?.contributors ?? []).map(({ role, artist: { name } }) => ({ artist: artistId(name), role }))

/** Returns the first spelling of each genre by key. */
const genresOf = ({ genres }: TrackData) => new Map(genres.toReversed().map(name => [genreKey(name), name]))
