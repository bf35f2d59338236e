import type { ICommonTagsResult } from 'music-metadata'
import { cleanText, cutText, splitList } from './clean-tags.ts'
import { guessFromPath } from './guess-from-path.ts'
import { idOf, plainName } from './identify.ts'
import { bytesOf, repairUtf8 } from './repair-encodings.ts'

/** The texts of the tags of a file, as they are but for their length. */
export interface TagTexts {
  readonly title?: string | undefined
  readonly artists: readonly string[]
  readonly album?: string | undefined
  readonly albumArtists: readonly string[]
  readonly genres: readonly string[]
  readonly isCompilation: boolean
  /** Whether they may be in another encoding than Latin-1, as which they were read. */
  readonly isUnclear: boolean
}

/** What a track is called. */
export interface TrackNames {
  /** Id of the track: the same for the same recording in another quality. */
  readonly trackId: string
  readonly title: string
  /** At least one. */
  readonly artists: readonly string[]
  readonly album: string
  /** At least one. */
  readonly albumArtists: readonly string[]
  /** Whether the files of its folder tell the artists of its album, since only the album is tagged. */
  readonly byFolder?: true | undefined
  readonly genres: readonly string[]
  /** The artists in one text, where the tag has another one than their names in a row. */
  readonly displayArtist?: string | undefined
  readonly displayAlbumArtist?: string | undefined
}

/** Where a track is, and what it is without its tags. */
export interface TrackPlace {
  readonly path: string
  readonly discNumber?: number | undefined
  readonly trackNumber?: number | undefined
  /** Id of the audio, for tracks without a title or an artist in the tags. */
  readonly contentId?: string | undefined
}

/** The name that compilations go under. */
export const variousArtists = 'Various Artists'
/** The name of an artist that nothing tells. */
export const unknownArtist = 'Unknown Artist'
/** Values of a tag that anything looks at. */
const mostValues = 100

/** Artists whose names hold the sign that ID3v2.3 puts between two artists, which the parser takes it for. */
const withSlash = new Map([
  '22/7', "5/8erl in Ehr'n", 'AC/DC', 'Au/Ra', 'Bremer/McCoy', 'K/DA', 'LOONA 1/3', 'Phantom/Ghost', 'Smith/Kotzen'
].map(name => [name.toLowerCase(), name]))

/** Names, with those in one piece again that the parser has taken apart. */
const joinNames = (names: readonly string[]): string[] => names.flatMap((name, at) => {
  const joinedAt = (at: number) => withSlash.get(`${names[at]}/${names[at + 1]}`.toLowerCase())
  return joinedAt(at - 1) === undefined ? joinedAt(at) ?? name : []
})

/** The texts that names come from. */
export function tagTextsOf (common: ICommonTagsResult): TagTexts {
  const textOf = (value: unknown) => {
    const text = cutText(value)
    return cleanText(text) === undefined ? undefined : repairUtf8(text!)
  }
  const listOf = (values: readonly unknown[] = []) =>
    values.slice(0, mostValues).map(textOf).filter(text => text !== undefined)
  const texts = {
    title: textOf(common.title),
    artists: joinNames(listOf(common.artists)),
    album: textOf(common.album),
    albumArtists: joinNames(listOf(common.albumartists)),
    genres: listOf(common.genre),
    isCompilation: common.compilation === true
  }
  return { ...texts, isUnclear: allOf(texts).some(text => bytesOf(text) !== undefined) }
}

/** Every text of a file. */
export const allOf = ({ title, artists, album, albumArtists, genres }: Omit<TagTexts, 'isUnclear'>): string[] =>
  [title, ...artists, album, ...albumArtists, ...genres].filter(text => text !== undefined)

/** The texts in another form each. */
export const mapTexts = (texts: TagTexts, change: (text: string) => string): TagTexts => ({
  ...texts,
  title: texts.title === undefined ? undefined : change(texts.title),
  artists: texts.artists.map(change),
  album: texts.album === undefined ? undefined : change(texts.album),
  albumArtists: texts.albumArtists.map(change),
  genres: texts.genres.map(change)
})

/** The names of a track: those of its tags; names of files and folders where tags are silent. */
export function nameTrack (texts: TagTexts, { path, discNumber, trackNumber, contentId }: TrackPlace): TrackNames {
  const guess = guessFromPath(path)
  const artists = artistsOf(texts.artists)
  if (artists.length === 0) artists.push(cleanText(guess.artist) ?? unknownArtist)
  const title = cleanText(texts.title) ?? cleanText(guess.title) ?? path
  const tagged = cleanText(texts.album)
  const album = tagged ?? cleanText(guess.album) ?? 'Unknown Album'
  const albumArtists = artistsOf(texts.albumArtists)
  if (albumArtists.length === 0 && texts.isCompilation) albumArtists.push(variousArtists)
  const isTold = albumArtists.length > 0
  const names = [...artists, album, title].map(plainName)
  return {
    trackId: contentId ?? idOf('track', ...names, discNumber ?? 1, trackNumber ?? 0),
    title,
    artists,
    album,
    albumArtists: isTold ? albumArtists : artists.slice(0, 1),
    byFolder: (tagged !== undefined && !isTold) || undefined,
    // One spelling of each.
    genres: [...new Map(splitList(texts.genres).reverse().map(name => [plainName(name), name])).values()].reverse(),
    displayArtist: displayed(texts.artists, artists),
    displayAlbumArtist: displayed(texts.albumArtists, albumArtists)
  }
}

/** One text that names several artists, and is no list of them. */
function displayed ([text, ...more]: readonly string[], artists: readonly string[]): string | undefined {
  const name = cleanText(text)
  const isOne = more.length === 0 && artists.length > 1 && splitList([text!]).length === 1
  return isOne ? name : undefined
}

const beforeGuests = / (?:feat\.|ft\.|featuring) /i
/** Guests in brackets: `Ann (feat. Bob)`. */
const inBrackets = / [([](?:feat\.?|ft\.?|featuring) ([^()[\]]+)[)\]]/gi

/** Guests are artists too, where one text names all. */
function artistsOf (texts: readonly string[]): string[] {
  const names = splitList(texts)
  if (texts.length > 1) return names
  return splitList(names.flatMap(name => name.replace(inBrackets, ' feat. $1').split(beforeGuests)))
}
