import type { AlbumDetail, Track } from '../../../client/index.ts'
import type { ShownExtras } from '../../page-responses.ts'
import type { Group, TrackListProps } from '../parts/track-row.tsx'
import { composerOf } from '../state/load-extras.ts'
import { published, text, year } from '../texts/index.ts'

interface AlbumText extends Pick<TrackListProps, 'groups' | 'noteOf'> {
  readonly numberOf: (track: Track) => number | undefined
  /** Facts about the complete album. */
  readonly facts: readonly (string | undefined)[]
}

/** Returns the description of an album and its tracks. Values shared by all tracks are shown for the album. */
export function describeAlbum (album: AlbumDetail, { album: more = {}, tracks: ofTracks }: ShownExtras): AlbumText {
  const { tracks, publishTime, genre = '' } = album
  const of = ({ id }: Track) => ofTracks[id] ?? {}
  const shared = (tell: (track: Track) => string) => {
    const told = new Set(tracks.map(tell))
    return told.size === 1 ? [...told][0]! : ''
  }
  const yearOf = (track: Track) => String(of(track).year ?? '')
  const genresOf = (track: Track) => of(track).genres?.join(', ') ?? ''
  const composersOf = (track: Track) => composerOf(of(track))

  const date = typeof publishTime === 'number' ? published(publishTime) : String(more.year ?? shared(yearOf))
  const yearOfAlbum = String(more.year ?? (typeof publishTime === 'number' ? year(publishTime) : date))
  const genres = more.genres?.join(', ') || shared(genresOf) || genre
  const composer = shared(composersOf)
  const isNoted = tracks.some(track => noteOf(track) !== '')
  function noteOf (track: Track): string {
    const notes = [[composersOf(track), composer], [yearOf(track), yearOfAlbum], [genresOf(track), genres]]
    return notes.flatMap(([ofTrack, ofAlbum]) => ofTrack === '' || ofTrack === ofAlbum ? [] : [ofTrack]).join(' · ')
  }
  return {
    facts: [date, genres, more.recordLabels?.join(', '), composer && text('composedBy', { name: composer })],
    groups: discsOf(album, { album: more, tracks: ofTracks }),
    numberOf: track => of(track).track,
    noteOf: isNoted ? noteOf : undefined
  }
}

/** Returns the discs of an album in track order, if it has several or one with a title. */
function discsOf ({ tracks }: AlbumDetail, { album, tracks: ofTracks }: ShownExtras): readonly Group[] | undefined {
  const discOf = ({ id }: Track) => ofTracks[id]?.discNumber ?? 1
  const starts = tracks.flatMap((track, from) => {
    const disc = discOf(track)
    return from > 0 && discOf(tracks[from - 1]!) === disc ? [] : [{ disc, from }]
  })
  const titleOf = (disc: number) => album?.discTitles?.find(titled => titled.disc === disc)?.title ?? ''
  if (starts.length < 2 && starts.every(({ disc }) => titleOf(disc) === '')) return undefined
  return starts.map(({ disc, from }) => {
    const title = titleOf(disc)
    return { from, heading: title === '' ? text('disc', { disc }) : text('discTitled', { disc, title }) }
  })
}
