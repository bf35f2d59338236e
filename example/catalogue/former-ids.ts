import type { IndexDatabase, IndexReader } from '../database/index-database.ts'
import { joinPath } from '../text/paths.ts'
import { alike, mostAlike, ofRecording, tracksWith, type Known } from './track-index.ts'
import type { SearchKind } from './search-words.ts'

/** The maximum number of later names of an album or artist that are followed. */
const mostNames = 20

/** Returns the number of the item that a former id resolves to. */
export const formerNumber = (db: IndexReader, kind: SearchKind, id: string): number | undefined =>
  kind === 'track' ? formerTrack(db, id) : formerNamed(db, kind, id)

/** Joins a row of `ids.known`, which is read first, with its existing file. */
const live =
  'CROSS JOIN file ON file.folder = known.folder AND file.name = known.name AND file.recording IS NOT NULL'
/** Conditions for rows of `ids.known` with an id: as the id itself, and as the id produced by tags. */
const named = ['known.id = value', 'known.key = value AND known.key <> known.id']
const taggedAs = (key: string) => [
  `SELECT 1 FROM track WHERE track.id = ${key}`,
  `SELECT 1 FROM track WHERE recording = ${key} AND recording <> track.id`,
  `SELECT 1 FROM file WHERE read_as = ${key} AND EXISTS (SELECT 1 FROM track WHERE track.id = file.recording)`
]

/** Queries that a former track id may resolve by. */
const leads = [
  ...named.flatMap(is => [
    `SELECT 1 FROM ids.known ${live} WHERE ${is}`,
    `SELECT 1 FROM ids.known AS one CROSS JOIN ids.known ON known.audio = one.audio AND known.audio <> '' ${live}
      WHERE ${is.replaceAll('known', 'one')}`,
    `SELECT 1 FROM ids.known WHERE ${is} AND (
      ${taggedAs('known.key').map(tagged => `EXISTS (${tagged})`).join(' OR ')})`
  ]),
  ...taggedAs('value')
].map(lead => `EXISTS (${lead})`).join(' OR ')

/** Returns the deleted ids that may resolve: most do not, and one statement excludes them together. */
export function leadingIds (db: IndexReader, kind: SearchKind, ids: readonly string[]): string[] {
  const given = JSON.stringify(ids)
  const found = kind === 'track'
    ? db.all<{ id: string }>(`SELECT value AS id FROM json_each(?) WHERE ${leads}`, given)
    : db.all<{ id: string }>(`
      SELECT value AS id FROM json_each(?)
      WHERE EXISTS (SELECT 1 FROM ids.went WHERE kind = ? AND went.id = value AND tracks > 0)`, given, kind)
  return found.map(({ id }) => id)
}

/** Returns the number of the track of a former id: by one of its files, its audio, its tags, or finally its path. */
function formerTrack (db: IndexReader, id: string): number | undefined {
  const known = db.all<Known>(`
    SELECT * FROM ids.known WHERE id = ?1 UNION ALL SELECT * FROM ids.known WHERE key = ?1 AND key <> id LIMIT ?2`,
  id, mostAlike)
  const live = (files: readonly Known[], isOwn = true): number | undefined => {
    for (const { id, folder, name } of files) {
      const file = db.get<{ recording: string }>(`
        SELECT recording FROM file
        WHERE folder = ? AND name = ? AND recording IS NOT NULL AND (own = ? OR ?)`, folder, name, id, isOwn ? 0 : 1)
      if (file !== undefined) return tracksWith(db, file.recording, joinPath(folder, name))[0]?.number
    }
    return undefined
  }
  const tagged = (key: string) => db.get<{ number: number }>(`
    SELECT number FROM track WHERE id = ?1 UNION ALL SELECT number FROM (${ofRecording})
    UNION ALL SELECT track.number FROM file JOIN track ON track.id = file.recording WHERE read_as = ?1`, key)?.number
  const tries = [
    () => live(known),
    () => live(known.flatMap(({ audio }) => alike(db, audio))),
    ...known.map(({ key }) => () => tagged(key)),
    () => tagged(id),
    () => live(known, false)
  ]
  for (const attempt of tries) {
    const number = attempt()
    if (number !== undefined) return number
  }
  return undefined
}

/** Follows an album or artist to the one that received most of its tracks, repeatedly, as far as it exists. */
function formerNamed (db: IndexReader, kind: SearchKind, id: string): number | undefined {
  const seen = new Set<string>()
  for (const left = [id]; left.length > 0 && seen.size < mostNames;) {
    const last = left.pop()!
    const number = db.get<{ number: number }>(`SELECT number FROM ${kind} WHERE id = ?`, last)?.number
    if (number !== undefined) return number
    seen.add(last)
    const heirs = db.all<{ heir: string }>(
      'SELECT heir FROM ids.went WHERE kind = ? AND id = ? AND tracks > 0 ORDER BY tracks, heir DESC', kind, last)
    left.push(...heirs.map(({ heir }) => heir).filter(heir => !seen.has(heir)))
  }
  return undefined
}

/** The album of a track, its artists and the album artists, by number. */
export interface Belonging { readonly album: number, readonly artists: readonly number[] }

/** Records that a track has moved to another album or other artists. */
export function noteHeirs (db: IndexDatabase, before: Belonging, after: Belonging): void {
  note(db, 'album', before.album, after.album)
  const gone = before.artists.filter(artist => !after.artists.includes(artist))
  const come = after.artists.filter(artist => !before.artists.includes(artist))
  gone.forEach((artist, at) => note(db, 'artist', artist, come.at(Math.min(at, come.length - 1))))
}

function note (db: IndexDatabase, kind: SearchKind, from: number, to: number | undefined): void {
  if (from === to || to === undefined) return
  const idAt = (number: number) => db.get<{ id: string }>(`SELECT id FROM ${kind} WHERE number = ?`, number)!.id
  const [id, heir] = [idAt(from), idAt(to)]
  db.run(`
    INSERT INTO ids.went (kind, id, heir, tracks) VALUES (?, ?, ?, 1)
    ON CONFLICT DO UPDATE SET tracks = tracks + 1`, kind, id, heir)
  // A track that returns cancels its earlier move.
  db.run('UPDATE ids.went SET tracks = max(0, tracks - 1) WHERE kind = ? AND id = ? AND heir = ?', kind, heir, id)
}
