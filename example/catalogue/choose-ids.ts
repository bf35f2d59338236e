import { idOf } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { splitPath } from '../text/paths.ts'
import { isHeld, isKnowing, tellingTags } from './track-index.ts'

/** Chooses the ids of the tracks of one change. */
export class IdChooser {
  /** Whether ids exist that survive a new index; none exist during a first scan. */
  readonly isKnowing: boolean
  readonly #db: IndexDatabase
  readonly #changed: { has (recording: string): boolean }
  /** Recordings that have received an id in this change. */
  readonly #chosen = new Map<string, string>()

  /** @param changed the recordings of the change */
  constructor (db: IndexDatabase, changed: { has (recording: string): boolean }) {
    this.#db = db
    this.#changed = changed
    this.isKnowing = isKnowing(db)
  }

  /**
   * @param before the recording's previous ids
   * @param parts its current tracks, by the ids that their tags produce
   * @returns the id of each track
   */
  choose (recording: string, before: ReadonlyMap<string, unknown>, parts: ReadonlyMap<string, readonly AudioFile[]>) {
    const ids = new Map<string, string>()
    const owners = new Map<string, string>()
    if (this.isKnowing) {
      for (const [key, files] of parts) {
        for (const id of files.flatMap(file => this.#ownOf(file) ?? [])) {
          if (!owners.has(id)) owners.set(id, key)
        }
      }
    }
    for (const [key, files] of parts) {
      const id = this.isKnowing ? this.#idOf(recording, key, files, before, owners) : key
      ids.set(key, id)
      this.#chosen.set(id, recording)
    }
    return ids
  }

  #idOf (
    recording: string, key: string, files: readonly AudioFile[], before: ReadonlyMap<string, unknown>,
    owners: ReadonlyMap<string, string>
  ): string {
    const isFree = (id: string) => !this.#chosen.has(id) && (owners.get(id) ?? key) === key &&
      !isHeld(this.#db, id, recording) && !this.#isElsewhere(id, recording)
    const owned = [...owners].filter(([, owner]) => owner === key).map(([id]) => id)
    const found = [...owned.filter(id => before.has(id)), ...owned].find(isFree) ??
      tellingTags(this.#db, key).find(isFree)
    if (found !== undefined) return found
    // The id of a retagged track is not reused for another one.
    const isNew = (id: string) =>
      isFree(id) && this.#db.get('SELECT 1 FROM ids.known WHERE id = ? LIMIT 1', id) === undefined
    let id = key
    for (let count = 0; !isNew(id); count++) id = idOf(key, files[0]!.path, count)
    return id
  }

  /** Returns whether a track of an unchanged recording has an id. */
  #isElsewhere (id: string, recording: string): boolean {
    const other = this.#db.get<{ recording: string }>('SELECT recording FROM track WHERE id = ?', id)?.recording
    return other !== undefined && other !== recording && !this.#changed.has(other)
  }

  #ownOf ({ path }: AudioFile): string | undefined {
    return this.#db.get<{ own: string | null }>(
      'SELECT own FROM file WHERE folder = ? AND name = ?', ...splitPath(path))?.own ?? undefined
  }
}
