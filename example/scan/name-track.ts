import type { ICommonTagsResult } from 'music-metadata'
import { cleanText, cutText, splitList } from './clean-tags.ts'
import { guessFromPath } from './guess-from-path.ts'
import { idOf, plainName } from './identify.ts'
import { bytesOf, repairUtf8 } from './repair-encodings.ts'

/** The texts of a file's tags, unchanged except for their length. */
export interface TagTexts {
  readonly title?: string | undefined
  readonly artists: readonly string[]
  readonly album?: string | undefined
  readonly albumArtists: readonly string[]
  readonly genres: readonly string[]
  readonly isCompilation: boolean
  /** Whether they may have another encoding than Latin-1, as which they were read. */
  readonly isUnclear: boolean
}

/** The names of a track. */
export interface TrackNames {
  /** The id of the track, equal for the same recording in another quality. */
  readonly trackId: string
  readonly title: string
  /** At least one. */
  readonly artists: readonly string[]
  readonly album: string
  /** At least one. */
  readonly albumArtists: readonly string[]
  /** Whether the files of its folder determine the album artists, since only the album is tagged. */
  readonly byFolder?: true | undefined
  readonly genres: readonly string[]
  /** The artists as one string, if the tag differs from a list of their names. */
  readonly displayArtist?: string | undefined
  readonly displayAlbumArtist?: string | undefined
}

/** The position of a track, and its identity without tags. */
export interface TrackPlace {
  readonly path: string
  readonly discNumber?: number | undefined
  readonly trackNumber?: number | undefined
  /** The id of the audio, for tracks without a title or an artist in the tags. */
  readonly contentId?: string | undefined
}

/** The artist name of compilations. */
export const variousArtists = 'Various Artists'
/** The name of an unknown artist. */
export const unknownArtist = 'Unknown Artist'
/** The maximum number of values of a tag that are read. */
const mostValues = 100

/** Artists whose names contain "/", which the ID3v2.3 parser takes for a separator. */
const withSlash = new Map([
  '22/7', "5/8erl in Ehr'n", 'AC/DC', 'Au/Ra', 'Bremer/McCoy', 'K/DA', 'LOONA 1/3', 'Phantom/Ghost', 'Smith/Kotzen'
].map(name => [name.toLowerCase(), name]))

/** Joins names that the parser has split. */
const joinNames = (names: readonly string[]): string[] => names.flatMap((name, at) => {
  const joinedAt = (at: number) => withSlash.get(`${names[at]}/${names[at + 1]}`.toLowerCase())
  return joinedAt(at - 1) === undefined ? joinedAt(at) ?? name : []
})

/** Returns the texts that names are derived from. */
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

/** Returns every text of a file. */
export const allOf = ({ title, artists, album, albumArtists, genres }: Omit<TagTexts, 'isUnclear'>): string[] =>
  [title, ...artists, album, ...albumArtists, ...genres].filter(text => text !== undefined)

/** Converts each text. */
export const mapTexts = (texts: TagTexts, change: (text: string) => string): TagTexts => ({
  ...texts,
  title: texts.title === undefined ? undefined : change(texts.title),
  artists: texts.artists.map(change),
  album: texts.album === undefined ? undefined : change(texts.album),
  albumArtists: texts.albumArtists.map(change),
  genres: texts.genres.map(change)
})

/** Returns the names of a track from its tags, or from names of files and folders if tags are missing. */
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
    // A single spelling of each genre.
    genres: [...new Map(splitList(texts.genres).reverse().map(name => [plainName(name), name])).values()].reverse(),
    displayArtist: displayed(texts.artists, artists),
    displayAlbumArtist: displayed(texts.albumArtists, albumArtists)
  }
}

/** Returns a text that names several artists without being a list. */
function displayed ([text, ...more]: readonly string[], artists: readonly string[]): string | undefined {
  const name = cleanText(text)
  const isOne = more.length === 0 && artists.length > 1 && splitList([text!]).length === 1
  return isOne ? name : undefined
}

const beforeGuests = / (?:feat\.|ft\.|featuring) /i
/** Matches guests in brackets: `Ann (feat. Bob)`. */
const inBrackets = / [([](?:feat\.?|ft\.?|featuring) ([^()[\]]+)[)\]]/gi

/** Returns the artists, with guests as separate artists if one text names all. */
function artistsOf (texts: readonly string[]): string[] {
  const names = splitList(texts)
  if (texts.length > 1) return names
  return splitList(names.flatMap(name => name.replace(inBrackets, ' feat. $1').split(beforeGuests)))
}
