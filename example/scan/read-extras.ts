import type { AlbumExtras, ArtistExtras, TrackExtras } from 'fastify-source-origin'
import type { IAudioMetadata, ICommonTagsResult } from 'music-metadata'
import { cleanNumber, cleanText, cutText, splitDate, splitList, withoutEmpty } from './clean-tags.ts'
import { plainName } from './identify.ts'
import type { TrackNames } from './name-track.ts'
import { gainsOf } from './read-gains.ts'
import { repairUtf8 } from './repair-encodings.ts'
import { TagValues } from './tag-values.ts'

/** Metadata of the album from tags. */
export interface AlbumTags extends AlbumExtras {
  /** The title of the track's disc. */
  readonly discTitle?: string | undefined
}

/** Metadata of a file other than its names and numbers. */
export interface FileExtras {
  readonly extras?: TrackExtras | undefined
  readonly albumExtras?: AlbumTags | undefined
  /** Metadata of its artists, by plain name. */
  readonly artistExtras?: Readonly<Record<string, ArtistExtras>> | undefined
}

/** Roles of contributors, and the tags that name them. */
const roles: Readonly<Record<string, readonly string[]>> = {
  composer: ['COMPOSER', 'TCOM', 'TCM', '©WRT'],
  lyricist: ['LYRICIST', 'TEXT', 'TXT'],
  writer: ['WRITER'],
  conductor: ['CONDUCTOR', 'TPE3', 'TP3'],
  arranger: ['ARRANGER'],
  remixer: ['REMIXER', 'MIXARTIST', 'TPE4', 'TP4'],
  producer: ['PRODUCER'],
  engineer: ['ENGINEER'],
  mixer: ['MIXER'],
  djmixer: ['DJMIXER']
}

/** Values of ITUNESADVISORY in most formats, and of `rtng` in MP4. */
const explicits: Readonly<Record<string, 'explicit' | 'clean'>> = { 1: 'explicit', 2: 'clean', 4: 'explicit' }

const repaired = (value: unknown) => repairUtf8(cutText(value) ?? '')
const textOf = (value: unknown) => cleanText(repaired(value))
const listOf = (values: readonly unknown[]) => splitList(values.map(repaired))

/**
 * Returns metadata from tags other than names and numbers: see the table in docs/operations/folder-source.md.
 *
 * @param names the names of the track
 * @param baseGain gain in the header of the file, dB
 */
export function readExtras (
  { common, format, native }: Pick<IAudioMetadata, 'common' | 'format' | 'native'>,
  names: Pick<TrackNames, 'artists' | 'albumArtists'>,
  baseGain: number | undefined
): FileExtras {
  const tags = new TagValues(native)
  const text = (...names: string[]) => textOf(tags.of(...names)[0])
  const list = (...names: string[]) => listOf(tags.of(...names))
  const original = originalDateOf(common, tags)
  return {
    extras: withoutEmpty<TrackExtras>({
      musicBrainzId: textOf(common.musicbrainz_recordingid) ?? text('MUSICBRAINZTRACKID'),
      sortName: text('TITLESORT', 'TSOT', 'TST', 'SONM'),
      isrc: list('ISRC', 'TSRC', 'TRC'),
      bpm: cleanNumber(parseInt(tags.first('BPM', 'TBPM', 'TBP', 'TMPO')), 999),
      comment: commentOf(common) ?? text('COMMENT'),
      samplingRate: cleanNumber(format.sampleRate, 10_000_000),
      bitDepth: format.lossless === true ? cleanNumber(format.bitsPerSample, 64) : undefined,
      channelCount: cleanNumber(format.numberOfChannels, 255),
      replayGain: withoutEmpty({ ...gainsOf(tags), baseGain }),
      moods: list('MOOD', 'TMOO'),
      groupings: list('GROUPING', 'TIT1', 'TT1', 'GRP1', 'GP1', '©GRP'),
      explicitStatus: explicits[tags.first('ITUNESADVISORY', 'RTNG')],
      ...creditsOf(tags),
      ...worksOf(common, tags)
    }),
    albumExtras: withoutEmpty<AlbumTags>({
      musicBrainzId: text('MUSICBRAINZALBUMID'),
      sortName: text('ALBUMSORT', 'TSOA', 'TSA', 'SOAL'),
      version: text('ALBUMVERSION', 'MUSICBRAINZALBUMCOMMENT'),
      recordLabels: list('LABEL', 'ORGANIZATION', 'PUBLISHER', 'TPUB', 'TPB'),
      releaseTypes: list('RELEASETYPE', 'MUSICBRAINZALBUMTYPE'),
      isCompilation: common.compilation === true || tags.first('COMPILATION') === '1' || undefined,
      originalReleaseDate: original,
      // A date beside an original date belongs to the reissue.
      releaseDate: splitDate(tags.first('RELEASEDATE', 'TDRL')) ?? (original && releaseDateOf(common)),
      discTitle: text('DISCSUBTITLE', 'SETSUBTITLE', 'TSST')
    }),
    artistExtras: withoutEmpty({
      ...artistsOf(names.albumArtists, {
        ids: tags.of('MUSICBRAINZALBUMARTISTID'), sortNames: list('ALBUMARTISTSORT', 'TSO2', 'TS2', 'SOAA')
      }),
      ...artistsOf(names.artists, {
        ids: tags.of('MUSICBRAINZARTISTID'), sortNames: list('ARTISTSORT', 'TSOP', 'TSP', 'SOAR')
      })
    })
  }
}

/** Names of tags with the date of the first release. */
const originalNames = ['ORIGINALDATE', 'ORIGINALYEAR', 'TDOR', 'TORY', 'TOR']

function originalDateOf ({ originaldate, originalyear }: ICommonTagsResult, tags: TagValues) {
  const told = originalNames.map(name => tags.first(name))
  return [...told, originaldate, originalyear].map(splitDate).find(date => date !== undefined)
}

/** Returns the date of this release, which may be a reissue. */
export const releaseDateOf = ({ date, year, releasedate }: ICommonTagsResult) =>
  splitDate(date ?? year ?? releasedate)

const musicBrainzIds = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi

/** Returns metadata of artists, if there is one value for each of their names. */
function artistsOf (
  names: readonly string[], told: { readonly ids: readonly string[], readonly sortNames: readonly string[] }
): Record<string, ArtistExtras> {
  const ids = told.ids.flatMap(text => text.match(musicBrainzIds) ?? [])
  const of = (texts: readonly string[], at: number) => texts.length === names.length ? texts[at] : undefined
  return Object.fromEntries(names.flatMap((name, at) => {
    const extras = withoutEmpty<ArtistExtras>({ musicBrainzId: of(ids, at), sortName: of(told.sortNames, at) })
    return extras === undefined ? [] : [[plainName(name), extras]]
  }))
}

/** Returns the comment for users: programs set a descriptor for their own. */
const commentOf = ({ comment = [] }: ICommonTagsResult): string | undefined =>
  textOf(comment.find(({ descriptor }) => !descriptor)?.text)

function creditsOf (tags: TagValues): TrackExtras {
  const parts = Object.entries(roles).flatMap(([role, names]) => listOf(tags.of(...names)).map(name =>
    ({ role, artist: { name } })))
  const performers = listOf(tags.of('PERFORMER')).map(text => {
    // For example `Ada Plume (violin)`.
    const [, name, subRole] = /^(.+?)(?: \(([^()]+)\))?$/.exec(text)!
    return withoutEmpty({ role: 'performer', subRole, artist: { name: name! } })!
  })
  const composers = parts.flatMap(({ role, artist }) => role === 'composer' ? [artist.name] : [])
  return { contributors: [...parts, ...performers], displayComposer: composers.join(', ') }
}

function worksOf (common: ICommonTagsResult, tags: TagValues): TrackExtras {
  const work = textOf(tags.first('WORK', '©WRK'))
  const movement = textOf(tags.first('MOVEMENTNAME', 'MVNM', '©MVN'))
  const { no, of } = common.movementIndex
  const numberOf = (given: number | null, name: string) => cleanNumber(given ?? parseInt(tags.first(name)), 9999)
  return {
    works: work === undefined
      ? []
      : [withoutEmpty({ name: work, musicBrainzId: textOf(tags.first('MUSICBRAINZWORKID')) })!],
    movements: movement === undefined
      ? []
      : [withoutEmpty({ name: movement, number: numberOf(no, 'MOVEMENT'), count: numberOf(of, 'MOVEMENTTOTAL') })!]
  }
}
