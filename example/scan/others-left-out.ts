import { otherLists, type Seen } from './walk-folder.ts'

/** The maximum number of links named in a line. */
const mostNames = 5

/** Returns messages of a scan about files that are not tracks. */
export function othersLeftOut ({ others, sheets, outside }: Pick<Seen, 'others' | 'sheets' | 'outside'>): string[] {
  const countsOf = (areLists: boolean) =>
    Array.from(others).filter(([type]) => otherLists.has(type) === areLists).map(([type, count]) => `${count} ${type}`)
      .sort().join(', ')
  const [counts, lists] = [countsOf(false), countsOf(true)]
  return [
    ...counts !== '' ? [`Left out what players do not open: ${counts}`] : [],
    ...lists !== '' ? [`Left out playlists that are not read: ${lists}. Save them as .m3u8`] : [],
    ...outside.length > 0
      ? [`Links that lead out of MUSIC_DIR are not followed: ${outside.length}. Mount or copy what they lead to into ` +
        `it, or set MUSIC_DIR to a folder above both: ${outside.sort().slice(0, mostNames).join(', ')}`]
      : [],
    ...sheets > 0 ? [`Albums in one file with a .cue: ${sheets}. Each is one track, since files are played whole`] : []
  ]
}
