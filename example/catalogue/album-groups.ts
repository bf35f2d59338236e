import { isDeepStrictEqual } from 'node:util'
import { albumFolder } from '../scan/guess-from-path.ts'
import { idOf, plainName } from '../scan/identify.ts'
import { variousArtists } from '../scan/name-track.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { joinPath, splitPath } from '../text/paths.ts'
import { albumArtistsOf, commonArtists } from './album-artist.ts'
import { editionsOf, type AlbumPart } from './editions.ts'
import { releaseId, settleBefore } from './track-index.ts'
import { filesOf, readRow, writeTags, type FileRow, type Recordings } from './kept-file.ts'

/** The columns that identify the album of a file, and find its other files. */
export interface AlbumColumns {
  /** The folder and the album. */
  readonly album_group: string
  /** The track artists, if the files of the group determine the album artists. */
  readonly album_credit: string | null
  /** The album and its artists. */
  readonly album_key: string
  /** The properties that identify the edition. */
  readonly album_part: string
}

const columnNames = ['album_group', 'album_credit', 'album_key', 'album_part'] as const

function albumColumns (file: Omit<AudioFile, 'added'>): AlbumColumns {
  const { path, artists, album, albumArtists, byFolder = false, albumExtras } = file
  const year = file.releaseYear ?? file.year ?? null
  const name = plainName(album)
  const release = albumExtras?.musicBrainzId ?? null
  const group = idOf(albumFolder(path), name)
  const part: AlbumPart = { group, year, release, isVarious: byFolder && albumArtists[0] === variousArtists }
  return {
    album_group: group,
    album_credit: byFolder ? JSON.stringify(artists) : null,
    album_key: idOf(...albumArtists.map(plainName).sort(), name),
    album_part: JSON.stringify(part)
  }
}

/** Returns the file as part of an edition. The recording of another edition has another id. */
function inEdition (file: AudioFile, edition: string | undefined): AudioFile {
  if (edition === file.edition) return file
  const plainId = file.plainId ?? file.trackId
  return edition === undefined
    ? { ...file, trackId: plainId, edition, plainId: undefined }
    : { ...file, trackId: idOf(plainId, edition), edition, plainId }
}

/**
 * The files of one change, and the albums that these and other files belong to afterwards. The result does not depend
 * on the order of files.
 */
export class AlbumGroups {
  readonly #db: IndexDatabase
  readonly #recordings: Recordings
  readonly #changed = new Map<string, { readonly file: AudioFile, readonly columns: AlbumColumns }>()
  readonly #groups = new Set<string>()
  readonly #keys = new Set<string>()

  constructor (db: IndexDatabase, recordings: Recordings) {
    this.#db = db
    this.#recordings = recordings
  }

  /** Records a file that is deleted or will be replaced. */
  lose ({ album_group: group, album_key: key }: { album_group: string | null, album_key: string | null }): void {
    if (group !== null) this.#groups.add(group)
    if (key !== null) this.#keys.add(key)
  }

  /** @returns the values to store, in the order of `columnNames` */
  add (file: AudioFile): (string | null)[] {
    const columns = albumColumns(file)
    this.#changed.set(file.path, { file, columns })
    this.lose(columns)
    filesOf(this.#recordings, file.trackId).set(file.path, file)
    return columnNames.map(name => columns[name])
  }

  /** Returns the current file at a path. */
  at (path: string): AudioFile { return this.#changed.get(path)!.file }

  /** Changes the names of a file. */
  rename (before: AudioFile, file: AudioFile): void {
    const place = splitPath(file.path)
    filesOf(this.#recordings, before.trackId).delete(file.path)
    this.lose(albumColumns(before))
    this.#db.run(`
      UPDATE file SET recording = ?, tags = ?, album_group = ?, album_credit = ?, album_key = ?, album_part = ?,
        read_as = CASE WHEN album_texts IS NULL THEN ? ELSE read_as END, settled = 0
      WHERE folder = ? AND name = ?`,
    file.trackId, writeTags(file), ...this.add(file), file.plainId ?? null, ...place)
  }

  /** Groups the files into albums: determines the artists of a folder's albums, and editions. */
  regroup (): void {
    for (const group of this.#groups) {
      const common = commonArtists(this.#artistsIn(group))
      this.#change({ album_group: group }, file => {
        const albumArtists = albumArtistsOf(file.artists, common)
        return file.byFolder !== true || isDeepStrictEqual(albumArtists, file.albumArtists)
          ? file
          : { ...file, albumArtists }
      }, 'album_credit IS NOT NULL')
    }
    for (const key of this.#keys) {
      const parts = [...this.#distinct('album_part', 'album_key', key)]
      const editions = editionsOf(parts.map(part => JSON.parse(part) as AlbumPart), group =>
        [...this.#artistsIn(group)].flat().map(plainName))
      parts.forEach((part, at) =>
        this.#change({ album_key: key, album_part: part }, file => inEdition(file, editions[at])))
    }
  }

  * #artistsIn (group: string): Generator<string[]> {
    for (const credit of this.#distinct('album_credit', 'album_group', group)) yield JSON.parse(credit)
  }

  /** Yields the distinct values of a column among files with a value in another column, in order. */
  * #distinct (column: keyof AlbumColumns, where: keyof AlbumColumns, wanted: string): Generator<string> {
    const next = (last: string) => this.#db.get<{ value: string }>(`
      SELECT ${column} AS value FROM file WHERE ${where} = ? AND ${column} > ? ORDER BY ${column} LIMIT 1`,
    wanted, last)
    for (let row = next(''); row !== undefined; row = next(row.value)) yield row.value
  }

  #changedWith (columns: Partial<AlbumColumns>, names: readonly (keyof AlbumColumns)[]): AudioFile[] {
    return Array.from(this.#changed.values()).flatMap(({ file, columns: its }) =>
      names.every(name => its[name] === columns[name]) ? file : [])
  }

  /**
   * Changes the files of this change, and other files with the same column values if the result differs.
   *
   * @param columns of the files
   */
  #change (columns: Partial<AlbumColumns>, change: (file: AudioFile) => AudioFile, more = 'TRUE'): void {
    const names = Object.keys(columns) as (keyof AlbumColumns)[]
    const from = `FROM file WHERE ${names.map(name => `${name} = ?`).join(' AND ')} AND ${more}`
    const values = names.map(name => columns[name]!)
    const paths = this.#db.all<Pick<FileRow, 'folder' | 'name'>>(
      `SELECT folder, name ${from} LIMIT ${this.#changed.size + 1}`, ...values)
    const other = paths.find(({ folder, name }) => !this.#changed.has(joinPath(folder, name)))
    const read = (rows: FileRow[]) => rows.map(readRow)
    const isOther = other !== undefined && read(this.#db.all<FileRow>(
      'SELECT * FROM file WHERE folder = ? AND name = ?', other.folder, other.name)).some(file => change(file) !== file)
    const files = isOther
      ? read(this.#db.all<FileRow>(`SELECT * ${from}`, ...values))
      : this.#changedWith(columns, names)
    const changed = files.map(file => [file, change(file)] as const).filter(([before, after]) => before !== after)
    const left = changed.filter(([before, { path, trackId }]) =>
      before.trackId !== trackId && !this.#changed.has(path)).map(([before]) => before)
    for (const { path, trackId } of left) settleBefore(this.#db, trackId, path)
    for (const [before, after] of changed) {
      this.rename(before, after)
      if (left.includes(before)) releaseId(this.#db, after.trackId, after.path)
    }
  }
}
