/** Tracks of one album title and artist in one folder, of one year and release. */
export interface AlbumPart {
  /** Identifies the folder. */
  readonly group: string
  readonly year: number | null
  /** The MusicBrainz id of the release. */
  readonly release: string | null
  /** Whether the album is by various artists because its tracks share none. */
  readonly isVarious: boolean
}

interface Edition {
  readonly label: string
  readonly groups: Set<string>
  readonly years: Set<number>
  /** The artists of the tracks of an album by various artists. */
  readonly artists: Set<string>
}

const bySize = <T>(...sets: [ReadonlySet<T>, ReadonlySet<T>]) => sets.sort((a, b) => a.size - b.size)

/** Returns whether two folders have the same edition: a shared or unknown year, and no other artists. */
function isAlike (a: Edition, b: Edition): boolean {
  const [fewYears, years] = bySize(a.years, b.years)
  const [fewArtists, artists] = bySize(a.artists, b.artists)
  return (fewYears.size === 0 || [...fewYears].some(year => years.has(year))) &&
    [...fewArtists].every(artist => artists.has(artist))
}

/**
 * Distinguishes the editions of an album: by release, else by year if folders differ.
 *
 * @param artistsOf returns the artists of the tracks of a folder
 * @returns the identifying property of each part's edition; `undefined` if there is only one edition
 */
export function editionsOf (
  parts: readonly AlbumPart[], artistsOf: (group: string) => Iterable<string>
): (string | undefined)[] {
  const editions = new Map<string, Edition>()
  const folders = new Map<string, Edition>()
  for (const { group, year, release, isVarious } of parts) {
    const [known, key] = release === null ? [folders, group] as const : [editions, release] as const
    const edition = known.get(key) ?? { label: key, groups: new Set(), years: new Set(), artists: new Set() }
    known.set(key, edition)
    edition.groups.add(group)
    if (year !== null) edition.years.add(year)
    if (isVarious) for (const artist of artistsOf(group)) edition.artists.add(artist)
  }
  const found = [...editions.values()]
  // Parts with more years come first; a part without a year joins an existing edition.
  const sorted = [...folders.keys()].sort().map(group => folders.get(group)!)
    .sort((a, b) => b.years.size - a.years.size)
  const byFolder = new Map<string, Edition>()
  for (const folder of sorted) {
    let edition = found.find(({ groups }) => groups.has(folder.label)) ?? found.find(other => isAlike(other, folder))
    if (edition === undefined) {
      const year = [...folder.years].sort().join('-').slice(0, 4)
      edition = { ...folder, label: folder.artists.size > 0 ? `${year} ${folder.label}` : year }
      found.push(edition)
    }
    byFolder.set(folder.label, edition)
    for (const group of folder.groups) edition.groups.add(group)
    for (const year of folder.years) edition.years.add(year)
    for (const artist of folder.artists) edition.artists.add(artist)
  }
  if (found.length === 1) return parts.map(() => undefined)
  return parts.map(({ group, release }) => release ?? byFolder.get(group)!.label)
}
