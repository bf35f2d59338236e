import type { AudioFile } from '../scan/read-audio-file.ts'
import type { IndexDatabase, IndexReader } from '../database/index-database.ts'
import { joinPath, splitPath } from '../text/paths.ts'

/** The data that identifies a track: its id, one of its files, the file's audio, and the id that its tags produce. */
export interface Known {
  readonly id: string
  readonly folder: string
  readonly name: string
  readonly audio: string | null
  readonly key: string
}

/** The maximum number of files with equal audio that are compared: a library may contain any number of copies. */
export const mostAlike = 20

/** Selects the rows of a recording's tracks. */
export const ofRecording = `
  SELECT * FROM track WHERE id = ?1 AND recording = ?1
  UNION ALL SELECT * FROM track WHERE recording = ?1 AND recording <> id`

export const isKnowing = (db: IndexDatabase): boolean =>
  db.get('SELECT 1 FROM ids.known LIMIT 1') !== undefined

/** Returns whether an id belongs to a file that is another recording now. */
export const isHeld = (db: IndexDatabase, id: string, recording: string): boolean => db.get(`
  SELECT 1 FROM ids.known JOIN file ON file.folder = known.folder AND file.name = known.name
  WHERE known.id = ?1 AND file.own = ?1 AND file.recording <> ?2 LIMIT 1`, id, recording) !== undefined

export const alike = (db: IndexReader, audio: string | null): Known[] => audio
  ? db.all<Known>('SELECT * FROM ids.known WHERE audio = ? AND audio <> \'\' LIMIT ?', audio, mostAlike)
  : []

interface TrackWith {
  readonly number: number
  readonly id: string
  readonly title: string
  readonly key: string
  readonly paths: string
}

/** Returns the track of a file; empty if it has not become a track. */
export function tracksWith (db: IndexReader, recording: string, path: string) {
  return db.all<TrackWith>(`
    SELECT
      track.number, track.id, data ->> '$.title' AS title, coalesce(data ->> '$.key', recording) AS key,
      data -> '$.paths' AS paths
    FROM (${ofRecording}) AS track, json_each(data, '$.paths') WHERE json_each.value = ?2`, recording, path)
}

/**
 * Finds the ids of read files. A file retains the id of its path or audio, unless another recording has it now. If the
 * audio or tags at a path have changed to those that another track had, they determine the id.
 *
 * @param removed the former identities of files that were deleted or read again, by path
 * @returns the recordings of other files that have such an id now
 */
export function findIds (
  db: IndexDatabase, files: readonly AudioFile[], removed: ReadonlyMap<string, Settled>
): ReadonlySet<string> {
  const others = new Set<string>()
  if (!isKnowing(db)) return others
  const found = new Map(files.map(file => [file.path, findId(db, file, removed.get(file.path)?.id)]))
  for (const [path, { id, title }] of removed) {
    if (found.get(path) === id) continue
    const place = splitPath(path)
    const audio = db.get<Known>(
      'SELECT * FROM ids.known WHERE id = ? AND folder = ? AND name = ?', id, ...place)?.audio
    for (const { folder, name, recording } of waitingFor(db, audio)) {
      if (isHeld(db, id, recording)) continue
      own(db, joinPath(folder, name), id, audio!, recording)
      others.add(recording)
    }
    forgetPlace(db, id, place)
    if (isHeld(db, id, '')) continue
    db.run('INSERT INTO ids.gone (id, title) VALUES (?, ?) ON CONFLICT DO UPDATE SET title = excluded.title', id, title)
  }
  return others
}

/**
 * @param last the last id at its path
 * @returns the id of the file
 */
function findId (
  db: IndexDatabase, { path, trackId, audio }: AudioFile, last: string | undefined
): string | undefined {
  const place = splitPath(path)
  const there = db.all<Known>(
    'SELECT * FROM ids.known WHERE folder = ? AND name = ? ORDER BY id = ? DESC', ...place, last ?? '')
  const same = there.filter(known => audio && known.audio === audio)
  const heard = same.length > 0 ? [] : alike(db, audio)
  const found = (same.length > 0 ? same : wantedOf(db, trackId, there, heard))
    .find(({ id }) => !isHeld(db, id, trackId))
  if (found !== undefined) own(db, path, found.id, audio, trackId)
  else if (heard.length > 0) db.run('UPDATE file SET claim = ? WHERE folder = ? AND name = ?', audio, ...place)
  return found?.id
}

/** Returns the candidates for a file whose path had other audio, most likely first. */
function wantedOf (db: IndexDatabase, key: string, there: readonly Known[], heard: readonly Known[]): Known[] {
  const tagged = tellingTags(db, key)
  const isTagged = heard.length > 0 || (tagged.length > 0 && !there.some(({ id }) => tagged.includes(id)))
  return [...heard.filter(known => known.key === key), ...heard, ...there.filter(known => !isTagged || (
    heard.length > 0 && !known.audio))]
}

/** Returns the ids of tracks whose tags produced an id. */
export const tellingTags = (db: IndexDatabase, key: string): string[] => db.all<{ id: string }>(`
  SELECT id FROM ids.known WHERE id = ?1 AND key = ?1
  UNION ALL SELECT id FROM ids.known WHERE key = ?1 AND key <> id LIMIT ?2`, key, mostAlike).map(({ id }) => id)

/** Returns files whose audio had an id that another file had when they were read. */
const waitingFor = (db: IndexDatabase, audio: string | null | undefined) => audio
  ? db.all<{ folder: string, name: string, recording: string }>(`
    SELECT folder, name, recording FROM file
    WHERE claim = ? AND settled = 0 AND recording IS NOT NULL AND own IS NULL`, audio)
  : []

function own (db: IndexDatabase, path: string, id: string, audio: string | null, key: string): void {
  const place = splitPath(path)
  db.run('UPDATE file SET own = ? WHERE folder = ? AND name = ?', id, ...place)
  keep(db, { id, folder: place[0], name: place[1], audio, key })
}

/** Writes only changes, since each file of a retagged library is processed here. */
function keep (db: IndexDatabase, { id, folder, name, audio, key }: Known): void {
  db.run(`
    INSERT INTO ids.known (id, folder, name, audio, key) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET audio = excluded.audio, key = excluded.key
      WHERE audio IS NOT excluded.audio OR key <> excluded.key`, id, folder, name, audio, key)
}

/** The id of a file, and the title of its track. */
export interface Settled { readonly id: string, readonly title: string }

/**
 * Stores the data that identifies the track of a file, and its other files.
 *
 * @returns the identities of the files; empty without a track
 */
export function settle (db: IndexDatabase, recording: string, path: string): Settled[] {
  const files = tracksWith(db, recording, path).flatMap(track => (JSON.parse(track.paths) as string[]).map(each =>
    ({ each, id: settleFile(db, track, splitPath(each)), title: track.title })))
  return files.filter(({ each }) => each === path)
}

/** Called before the file of a track becomes another recording. */
export function settleBefore (db: IndexDatabase, recording: string, path: string): void {
  const left = db.all(`
    SELECT 1 FROM file WHERE folder = ? AND name = ? AND settled = 0 AND EXISTS (SELECT 1 FROM ids.known)`,
  ...splitPath(path))
  if (left.length > 0) settle(db, recording, path)
}

/** Called afterwards: the id stays with the last file that had it. */
export function releaseId (db: IndexDatabase, recording: string, path: string): void {
  db.run(`
    UPDATE file SET own = NULL WHERE folder = ? AND name = ? AND EXISTS (
      SELECT 1 FROM ids.known JOIN file AS other ON other.folder = known.folder AND other.name = known.name
      WHERE known.id = file.own AND other.own = file.own AND other.recording <> ?)`, ...splitPath(path), recording)
}

function settleFile (
  db: IndexDatabase, { id, key }: { id: string, key: string }, place: [folder: string, name: string]
): string {
  const { own, audio, settled } = db.get<{ own: string | null, audio: string | null, settled: number }>(
    'SELECT own, audio, settled FROM file WHERE folder = ? AND name = ?', ...place)!
  if (own !== null && settled === 1) return own
  const kept = own ?? id
  // An earlier track with other audio must not be identified by that path.
  db.run(`
    UPDATE OR REPLACE ids.known SET folder = '', name = ''
    WHERE folder = ? AND name = ? AND id <> ? AND audio <> '' AND audio <> ?`, ...place, kept, audio)
  db.run('UPDATE file SET own = ?, claim = NULL, settled = 1 WHERE folder = ? AND name = ?', kept, ...place)
  keep(db, { id: kept, folder: place[0], name: place[1], audio, key })
  return kept
}

const withoutOthers = `AND claim IS NULL AND NOT EXISTS (
  SELECT 1 FROM ids.known WHERE known.folder = file.folder AND known.name = file.name AND known.id IS NOT file.own)`

/**
 * Stores the identities of some files.
 *
 * @param isEnd whether to include files whose id may change until the end of the scan: because the id belongs to a
 *   deleted file, or to a former file at their path
 * @returns whether there are more
 */
export function settleSome (db: IndexDatabase, limit: number, isEnd: boolean): boolean {
  const files = db.all<{ folder: string, name: string, recording: string }>(`
    SELECT folder, name, recording FROM file
    WHERE settled = 0 AND recording IS NOT NULL ${isEnd ? '' : withoutOthers} LIMIT ?`, limit)
  for (const { folder, name, recording } of files) {
    for (const track of tracksWith(db, recording, joinPath(folder, name))) settleFile(db, track, [folder, name])
  }
  return files.length === limit
}

/** Returns the last titles of deleted tracks by id. */
export const missingTitles = (db: IndexReader, ids: readonly string[]): ReadonlyMap<string, string> =>
  new Map(db.all<{ id: string, title: string }>(
    'SELECT id, title FROM ids.gone WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids)
  ).map(({ id, title }) => [id, title]))

/** Removes the former path of a file, unless only the path identifies its id. */
function forgetPlace (db: IndexDatabase, id: string, place: [folder: string, name: string]): void {
  db.run(`
    DELETE FROM ids.known WHERE id = ?1 AND folder = ?2 AND name = ?3
      AND NOT EXISTS (SELECT 1 FROM file WHERE folder = ?2 AND name = ?3 AND own = ?1)
      AND EXISTS (
        SELECT 1 FROM ids.known AS other JOIN file ON file.folder = other.folder AND file.name = other.name
        WHERE other.id = ?1 AND file.own = ?1)`, id, ...place)
}
