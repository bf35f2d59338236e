import { otherLists, type Seen } from './walk-folder.ts'

/** The maximum number of links named in a line. */
const mostNames = 5

/** Reports files of a scan that are not tracks: details for the log, and a message for the page. */
export function reportOthers (
  { others, sheets, outside }: Pick<Seen, 'others' | 'sheets' | 'outside'>,
  warn: (details: object, event: string, message: string) => void
): void {
  const countsOf = (areLists: boolean) =>
    Array.from(others).filter(([type]) => otherLists.has(type) === areLists).map(([type, count]) => `${count} ${type}`)
      .sort().join(', ')
  const [counts, lists] = [countsOf(false), countsOf(true)]
  if (counts !== '') warn({ files: counts }, 'audio files ignored', `Left out what players do not open: ${counts}`)
  if (lists !== '') {
    warn({ files: lists }, 'playlists ignored', `Left out playlists that are not read: ${lists}. Save them as .m3u8`)
  }
  if (outside.length > 0) {
    const links = outside.sort().slice(0, mostNames)
    const message = `Links to files outside of MUSIC_DIR are not followed: ${outside.length}. Mount or copy their ` +
      `targets into it, or set MUSIC_DIR to a folder above both: ${links.join(', ')}`
    warn({ count: outside.length, links }, 'links not followed', message)
  }
  if (sheets > 0) {
    const message = `Albums in one file with a .cue: ${sheets}. Each is one track, since files are played whole`
    warn({ count: sheets }, 'cue sheets ignored', message)
  }
}
