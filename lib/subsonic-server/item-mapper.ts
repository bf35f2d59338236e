import { extras } from '../../schemas/extras.ts'
import type { Album, Artist, Playlist, Track } from '../../schemas/index.ts'
import type { IdsOf, ValuesOfItems } from '../contract/merged-items.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import { hasArtist, isNamed, type ArrayLibrary } from '../library/internal.ts'
import type { TranscodeFormat } from '../media/index.ts'
import { isRare } from '../text/audio-formats.ts'
import type { Favourites, PlayCounts } from './account/account-state.ts'
import { namesOf, type ItemIndex } from './account/item-index.ts'
import { readId, writeId } from './ids.ts'
import { decide } from './media/decide.ts'
import { contentTypeOf, qualityForApp, suffixOf } from './media/quality-for-app.ts'
import { songPath } from './song-path.ts'
import { epoch, writeTime } from './times.ts'
import { named, haveTags, timeOf, writeAlbumExtras, writePlays } from './write-extras.ts'
import type { JsonObject } from './write-xml.ts'

/** The data that a response object requires in addition to the item. */
export interface Surroundings {
  items: ItemIndex
  idsOf: IdsOf
  shownIdsOf: IdsOf
  /** The generated library of a source without one. */
  library: ArrayLibrary | undefined
  favourites: Favourites | undefined
  /** Favourite changes since, by the ids that apps use. */
  starred: { get: (id: string) => boolean | undefined }
  /** Ratings from 1 to 5, by the ids that apps use. */
  ratings: Pick<ValuesOfItems<number>, 'last'>
  /** The account's bookmark positions in songs in milliseconds, by the ids that apps use. */
  bookmarks: Pick<ValuesOfItems<{ readonly position: number }>, 'last'>
  /** Complete items from the source's library, by the ids of the incomplete items. */
  known: { readonly [K in LibraryKind]: ReadonlyMap<string, LibraryItems[K]> }
  /** Returns the URL of a picture that apps may store; `undefined` without one. */
  pictureUrl: (url: string | undefined, id: string) => string | undefined
  /** The formats that audio is converted to; empty without a transcoder. */
  formats: readonly TranscodeFormat[]
  /** The account's play counts; `undefined` if the source does not report them. */
  played: PlayCounts | undefined
  /** Whether the app supports OpenSubsonic. Older apps fail on nested properties. */
  isOpen: boolean
}

const unknown = { artist: 'Unknown Artist', album: 'Unknown Album' }
/** Default values of properties that extras omit, and of the same properties without extras. */
const emptyMembers = { text: '', list: [], object: {} } as const
const unknownMembers = { text: undefined, list: undefined, object: undefined } as const

/** Returns a whole number of at least 0, as strict apps require. */
export const count = (value = 0): number => Math.min(Math.max(0, Math.round(value)), Number.MAX_SAFE_INTEGER)

/** Returns the total length of tracks in seconds. */
export const lengthOf = (tracks: readonly Track[]): number =>
  count(tracks.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000)

/** Creates Subsonic objects from contract items, and records the items. */
export class ItemMapper {
  readonly #in: Surroundings
  /** Artists as written so far, since many items refer to the same artist. */
  readonly #refs = new Map<object, JsonObject>()

  constructor (surroundings: Surroundings) {
    this.#in = surroundings
  }

  song = (track: Track): JsonObject => {
    this.#in.items.noteTrack(track)
    const known = this.#in.known.tracks.get(track.id)
    const { album, artists, [extras]: more = known?.[extras] } = track
    const [artist] = artists
    const id = writeId('track', track.id)
    const published = writeTime(album.publishTime)
    const hasAlbum = isNamed(album)
    const albumId = hasAlbum ? writeId('album', album.id) : undefined
    const coverArt = albumId ?? id
    this.#in.items.noteCover(coverArt, album.coverUrl)
    const position = more?.track && more.discNumber ? undefined : this.#in.items.positionOf(track.id)
    const [number, disc] = [more?.track ?? position?.track, more?.discNumber ?? position?.disc]
    const quality = qualityForApp(track, {})
    const suffix = suffixOf(quality?.format)
    // Few apps play a rare format, so `stream` converts it by default.
    const profile = isRare(quality?.format) ? decide(track, {}, this.#in.formats, {}).profile : undefined
    const transcodedSuffix = profile && suffixOf(profile.format)
    const artistNames = namesOf(artists) || unknown.artist
    const refs = this.#artistRefs(artists)
    const albumArtist = more?.displayAlbumArtist ?? (album.artistName || artist?.name || unknown.artist)
    const albumName = hasAlbum ? album.name : unknown.album
    const rating = this.#ratingOf(id)
    const plays = writePlays(more, this.#in.played, this.#in.idsOf(track.id), rating)
    // Apps treat a missing string or list as unknown to the server.
    const { text, list, object } = haveTags(more) ? emptyMembers : unknownMembers
    // A single literal without spreads, since V8 creates and serialises it faster.
    const song = {
      id,
      parent: albumId,
      isDir: false,
      title: track.title,
      album: albumName,
      artist: artistNames,
      albumId,
      artistId: isNamed(artist) ? refs[0]!.id : undefined,
      coverArt,
      duration: count(track.durationMs / 1000),
      size: count(quality?.size),
      suffix,
      contentType: contentTypeOf(suffix),
      transcodedSuffix,
      transcodedContentType: transcodedSuffix && contentTypeOf(transcodedSuffix),
      type: 'music',
      bitRate: quality?.bitrate ? count(quality.bitrate / 1000) : undefined,
      isVideo: false,
      created: timeOf(more?.created) ?? published.text,
      path: songPath([albumArtist, albumName], { number, disc, title: track.title, suffix }),
      track: number,
      discNumber: disc,
      year: more?.year ?? published.year,
      genre: firstGenre(more, album),
      starred: this.#starredAt('tracks', id, track),
      userRating: rating,
      bookmarkPosition: this.#in.bookmarks.last(this.#in.shownIdsOf(id))?.position,
      playCount: plays.playCount,
      played: plays.played,
      averageRating: plays.averageRating,
      mediaType: 'song',
      displayArtist: more?.displayArtist ?? artistNames,
      displayAlbumArtist: albumArtist,
      artists: refs,
      albumArtists: this.#artistRefs(more?.albumArtists ?? album[extras]?.artists ??
        known?.album[extras]?.artists ??
        [this.#in.items.artistOf(album) ?? (artist && hasArtist(album, artist) ? artist : undefined)]),
      genres: more?.genres ? named(more.genres) : genresOf(album),
      moods: more?.moods ?? list,
      musicBrainzId: more?.musicBrainzId ?? text,
      sortName: more?.sortName ?? text,
      explicitStatus: more?.explicitStatus ?? text,
      bpm: more?.bpm,
      comment: more?.comment ?? text,
      isrc: more?.isrc ?? list,
      samplingRate: more?.samplingRate,
      bitDepth: more?.bitDepth,
      channelCount: more?.channelCount,
      replayGain: more?.replayGain ?? object,
      displayComposer: more?.displayComposer ?? text,
      works: more?.works,
      movements: more?.movements,
      groupings: more?.groupings,
      contributors: more?.contributors?.flatMap(({ role, subRole, artist }): JsonObject[] => {
        const known = this.#refer(artist)
        return known === undefined ? [] : [{ role, subRole, artist: known }]
      }) ?? list
    }
    return this.#in.isOpen ? song : withoutOpen(song)
  }

  /** @param artist the album artist, if the source reports one */
  album = (album: Album, artist?: Artist): JsonObject => {
    const id = writeId('album', album.id)
    const userRating = this.#ratingOf(id)
    if (this.#in.items.isKept) this.#in.items.noteAlbum(album, artist, id)
    const whole = this.#in.items.albums.peek(album.id)
    const told = this.#in.known.albums.get(album.id)
    const more = told?.[extras] === undefined ? album[extras] : { ...told[extras], ...album[extras] }
    const published = writeTime(album.publishTime)
    const known = artist ?? more?.artists?.[0] ?? this.#in.items.artistOf(album)
    const artistName = album.artistName || known?.name || unknown.artist
    const refs = this.#artistRefs(more?.artists ?? [known])
    const artistId = artist === undefined ? refs[0]?.id : this.#artistRefs([artist])[0]?.id
    return {
      id,
      name: album.name,
      artist: artistName,
      artistId,
      coverArt: id,
      songCount: count(whole?.songs ?? album.trackCount ?? told?.trackCount),
      duration: count(whole?.seconds ?? more?.duration),
      created: timeOf(more?.created) ?? published.text,
      year: more?.year ?? published.year,
      genre: firstGenre(more, album),
      starred: this.#starredAt('albums', id, album),
      ...writePlays(more, undefined, [], userRating),
      ...(this.#in.isOpen && {
        userRating,
        displayArtist: more?.displayArtist ?? artistName,
        artists: refs,
        genres: more?.genres ? named(more.genres) : genresOf(album),
        ...haveTags(more) && writeAlbumExtras(more, id),
        releaseDate: more?.releaseDate ?? published.date
      })
    }
  }

  /** Returns an album as a folder for older apps. */
  folder = (album: Album): JsonObject => {
    const { artistId, name, songCount, ...rest } = this.album(album)
    const open = { name, songCount, mediaType: 'album' }
    const userRating = this.#ratingOf(writeId('album', album.id))
    const shown = { title: name, album: name, parent: artistId, artistId, isDir: true, userRating }
    return { ...rest, ...shown, ...this.#in.isOpen && open }
  }

  artist = (artist: Artist): JsonObject => {
    this.#in.items.noteArtist(artist, artist.coverUrl)
    const id = writeId('artist', artist.id)
    const userRating = this.#ratingOf(id)
    const known = (this.#in.known.artists.get(artist.id) ?? this.#in.library?.item('artists', artist.id))?.[extras]
    const { albumCount = 0, roles, starred: _since, ...more } = { ...known, ...artist[extras] }
    return {
      id,
      name: artist.name,
      coverArt: id,
      albumCount,
      artistImageUrl: this.#in.pictureUrl(artist.coverUrl, id),
      starred: this.#starredAt('artists', id, artist),
      ...this.#in.isOpen && { userRating, averageRating: userRating, roles, disambiguation: '', ...more }
    }
  }

  /** Returns an artist as a folder in lists. */
  artistFolder = (artist: Artist): JsonObject => {
    const { albumCount, coverArt, roles, ...rest } = this.artist(artist)
    const userRating = this.#ratingOf(writeId('artist', artist.id))
    return { ...rest, userRating, ...this.#in.isOpen && { coverArt, albumCount } }
  }

  /** @param shown.owner the owner of the playlist; `undefined` if the playlist cannot be changed */
  playlist = (playlist: Playlist, shown: { id?: string, owner?: string | undefined, server: string }): JsonObject => {
    const { id = writeId('playlist', playlist.id), owner, server } = shown
    this.#in.items.noteCover(id, playlist.coverUrl)
    const whole = this.#in.items.playlists.get(id)
    return {
      id,
      name: playlist.name,
      owner: owner ?? (playlist.creator?.name || server),
      // The server generates the other lists for the account, and some contain its plays.
      public: playlist[extras]?.public ?? (owner === undefined && readId(id).kind === 'playlist'),
      songCount: count(whole?.songs ?? playlist.trackCount),
      duration: count(whole?.seconds),
      created: writeTime(playlist.createdAt ?? playlist.updatedAt).text,
      changed: writeTime(playlist.updatedAt ?? playlist.createdAt).text,
      comment: playlist.description || undefined,
      coverArt: playlist.coverUrl ? id : undefined,
      ...this.#in.isOpen && {
        readonly: playlist[extras]?.readOnly ?? owner === undefined, validUntil: timeOf(playlist[extras]?.validUntil)
      }
    }
  }

  /** Returns the rating of an item. */
  #ratingOf (shownId: string): number | undefined { return this.#in.ratings.last(this.#in.shownIdsOf(shownId)) }

  #starredAt (
    kind: LibraryKind, shownId: string, item: Artist | Album | Track
  ): string | undefined {
    const known = this.#in.known[kind].get(item.id)
    const { id, favorite = known?.favorite, [extras]: more = known?.[extras] } = item
    const listed = this.#in.favourites?.[kind]
    const since = listed?.all(this.#in.idsOf(id)) ?? []
    const isStarred = this.#in.starred.get(shownId) ?? favorite ?? since.length > 0
    return isStarred ? timeOf(more?.starred ?? since[0]) ?? epoch : undefined
  }

  #artistRefs (artists: readonly ({ id: string, name: string } | undefined)[]): JsonObject[] {
    const refs: JsonObject[] = []
    for (const artist of artists) {
      if (!isNamed(artist)) continue
      let ref = this.#refs.get(artist)
      if (ref === undefined) this.#refs.set(artist, ref = { id: writeId('artist', artist.id), name: artist.name })
      refs.push(ref)
    }
    return refs
  }

  /** Returns a reference to an artist of a song. An artist without an id may have been shown before. */
  readonly #refer = ({ id, name }: { id?: string | undefined, name: string }): JsonObject | undefined =>
    this.#artistRefs([{ id: id || (this.#in.items.artistsByName.exact(name)?.id ?? ''), name }])[0]
}

/** Returns the first genre. An empty list of an item says that it has none, whatever its album has. */
const firstGenre = (
  more: { genres?: readonly string[] | undefined } | undefined, { genre }: Album
): string | undefined => (more?.genres === undefined ? genre : more.genres[0]) || undefined

const genresOf = ({ genre }: Album): JsonObject[] => genre ? [{ name: genre }] : []

/** Returns a song without the OpenSubsonic properties, which begin with `mediaType`. */
function withoutOpen (song: JsonObject): JsonObject {
  const members = Object.entries(song)
  return Object.fromEntries(members.slice(0, members.findIndex(([name]) => name === 'mediaType')))
}
