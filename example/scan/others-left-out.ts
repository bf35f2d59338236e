/**
 * What a scan says of files that are no tracks.
 *
 * @param others how many files of which type players do not open
 * @param sheets how many albums are one file with a .cue
 */
export function othersLeftOut (others: ReadonlyMap<string, number>, sheets: number): string[] {
  const counts = Array.from(others, ([type, count]) => `${count} ${type}`).sort()
  return [
    ...counts.length > 0 ? [`Left out what players do not open: ${counts.join(', ')}`] : [],
    ...sheets > 0 ? [`Albums in one file with a .cue: ${sheets}. Each is one track, since files are played whole`] : []
  ]
}
