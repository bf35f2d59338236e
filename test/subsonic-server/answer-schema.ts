import { Type, type TProperties, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import assert from 'node:assert/strict'

/** The answers that the documents of OpenSubsonic describe, as a schema: a member that they do not name is none. */
const closed = <Needed extends TProperties>(needed: Needed, others: TProperties = {}) => Type.Object({
  ...needed, ...Object.fromEntries(Object.entries(others).map(([name, schema]) => [name, Type.Optional(schema)]))
}, { additionalProperties: false })
/** Several members of one schema. */
const all = (names: string, schema: TSchema): TProperties =>
  Object.fromEntries(names.split(' ').map(name => [name, schema]))

const text = Type.String()
const id = Type.String({ minLength: 1 })
const flag = Type.Boolean()
const whole = Type.Integer({ minimum: 0 })
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' })
const rating = Type.Integer({ minimum: 1, maximum: 5 })
const list = Type.Array
const oneOf = (...values: string[]) => Type.Union(values.map(value => Type.Literal(value)))

const named = list(closed({ name: text }))
const artistRefs = list(closed({ id, name: text }))
const date = closed({}, all('year month day', Type.Integer({ minimum: 1 })))
const explicitStatus = oneOf('explicit', 'clean', '')
const personal = { playCount: whole, averageRating: Type.Number({ minimum: 1, maximum: 5 }), userRating: rating }
const plays = { ...personal, played: time }

const replayGain = closed({}, {
  ...all('trackGain albumGain baseGain fallbackGain', Type.Number()),
  ...all('trackPeak albumPeak', Type.Number({ minimum: 0 }))
})
const contributor = closed({ role: text, artist: closed({ id, name: text }) }, { subRole: text })

/**
 * What every song has here, of which OpenSubsonic requires `id`, `isDir` and `title` alone. What it adds itself and a
 * server supports is always there.
 */
const song = {
  ...all('id coverArt', id),
  ...all('title album artist suffix contentType path', text),
  ...all('isDir isVideo', Type.Literal(false)),
  ...all('duration size', whole),
  type: Type.Literal('music'),
  created: time,
  mediaType: Type.Literal('song'),
  ...all('displayArtist displayAlbumArtist', text),
  ...all('artists albumArtists', artistRefs),
  genres: named
}
const sometimes = {
  ...all('parent albumId artistId', id),
  ...all('track year bitRate', whole),
  discNumber: Type.Integer({ minimum: 1 }),
  ...all('genre transcodedSuffix transcodedContentType', text),
  starred: time,
  bookmarkPosition: whole,
  ...plays
}
/** What it adds where the source tells extras. */
const songExtras = {
  ...all('isrc moods groupings', list(text)),
  ...all('comment sortName musicBrainzId displayComposer', text),
  ...all('bpm samplingRate bitDepth channelCount', whole),
  explicitStatus,
  replayGain,
  contributors: list(contributor),
  works: list(closed({ name: text }, { musicBrainzId: text })),
  movements: list(closed({ name: text }, { number: whole, count: whole }))
}
const songWith = (needed: TProperties = {}, others: TProperties = {}) =>
  closed({ ...song, ...needed }, { ...sometimes, ...songExtras, ...others })
const child = songWith()

const albumExtras = {
  ...all('version musicBrainzId sortName', text),
  ...all('releaseTypes moods', list(text)),
  isCompilation: flag,
  originalReleaseDate: date,
  explicitStatus,
  recordLabels: named,
  discTitles: list(closed({ disc: whole, title: text }, { coverArt: text }))
}
const album = { id, name: text, songCount: whole, duration: whole, created: time }
const albumSometimes = {
  ...all('artist genre displayArtist', text),
  ...all('artistId coverArt', id),
  starred: time,
  year: whole,
  artists: artistRefs,
  genres: named,
  releaseDate: date,
  ...plays,
  ...albumExtras
}
const albumItem = closed(album, albumSometimes)
/** An album as a folder. */
const { songCount, ...folderAlbum } = album
const folder = closed({ id, isDir: Type.Literal(true), title: text }, {
  ...folderAlbum, ...albumSometimes, songCount: whole, album: text, parent: id, mediaType: Type.Literal('album')
})

const artistSometimes = {
  ...all('coverArt', id),
  ...all('artistImageUrl musicBrainzId sortName disambiguation', text),
  starred: time,
  userRating: rating,
  averageRating: plays.averageRating,
  roles: list(text)
}
const artist = closed({ id, name: text }, { ...artistSometimes, albumCount: whole })
const artistFolder = closed({ id, isDir: Type.Literal(true), title: text, parent: id }, {
  ...artistSometimes, albumCount: whole, artist: text
})

const playlist = {
  needed: { id, name: text, songCount: whole, duration: whole, created: time, changed: time },
  others: {
    ...all('comment owner', text),
    ...all('public readonly', flag),
    coverArt: id,
    validUntil: time,
    allowedUser: list(text)
  }
}
const index = (item: TSchema) => list(closed({ name: text, artist: list(item) }))
const queue = {
  needed: { username: text, changed: time, changedBy: text }, others: { position: whole, entry: list(child) }
}
const info = all('smallImageUrl mediumImageUrl largeImageUrl', text)
const line = list(closed({ value: text }, { start: whole }))
const cue = closed({ start: whole, value: text }, { ...all('end byteStart byteEnd', whole) })
const lyrics = closed({ lang: text, synced: flag, line }, {
  ...all('displayArtist displayTitle', text),
  offset: Type.Integer(),
  kind: text,
  cueLine: list(closed({ value: text, cue: list(cue) }, { ...all('index start end', whole), agentId: text })),
  agents: list(Type.Object({}))
})
const results = { artist: list(artist), album: list(albumItem), song: list(child) }
const folderResults = { artist: list(artist), album: list(folder), song: list(child) }
const songs = closed({ song: list(child) })
const roles = 'adminRole settingsRole downloadRole uploadRole playlistRole coverArtRole commentRole podcastRole ' +
  'streamRole jukeboxRole shareRole videoConversionRole'
const none = list(Type.Never(), { maxItems: 0 })
const empty = (member: string) => closed({ [member]: none })

/** What an answer has, by the name of its one member. */
const payloads: TProperties = {
  license: closed({ valid: flag }),
  tokenInfo: closed({ username: text }),
  openSubsonicExtensions: list(closed({ name: text, versions: list(Type.Integer({ minimum: 1 })) })),
  user: closed(
    { username: text, scrobblingEnabled: flag, ...all(roles, flag), folder: list(whole) }, { maxBitRate: whole }),
  musicFolders: closed({ musicFolder: list(closed({ id: whole }, { name: text })) }),
  artists: closed({ ignoredArticles: text, index: index(artist) }, { lastModified: whole }),
  indexes: closed({
    ignoredArticles: text, lastModified: whole, index: index(artist), shortcut: none, child: none
  }),
  artist: closed({ id, name: text, albumCount: whole, album: list(albumItem) }, artistSometimes),
  album: closed({ ...album, song: list(child) }, albumSometimes),
  song: child,
  directory: closed({ id, name: text, child: list(Type.Union([child, folder, artistFolder])) }, {
    parent: id, starred: time, ...personal
  }),
  albumInfo: closed({ notes: text, ...info }, { musicBrainzId: text }),
  artistInfo: closed({ biography: text, ...info }, { musicBrainzId: text }),
  artistInfo2: closed({ biography: text, ...info }, { musicBrainzId: text }),
  ...all('topSongs similarSongs similarSongs2 randomSongs songsByGenre', songs),
  albumList: closed({ album: list(folder) }),
  albumList2: closed({ album: list(albumItem) }),
  genres: closed({ genre: list(closed({ value: text, songCount: whole, albumCount: whole })) }),
  searchResult: closed({ offset: whole, totalHits: whole, match: list(child) }),
  searchResult2: closed(folderResults),
  searchResult3: closed(results),
  starred: closed(folderResults),
  starred2: closed(results),
  nowPlaying: closed({
    entry: list(songWith({ username: text, minutesAgo: whole, playerId: whole }, {
      playerName: text,
      state: oneOf('starting', 'playing', 'paused', 'stopped'),
      positionMs: whole,
      playbackRate: Type.Number()
    }))
  }),
  playlists: closed({ playlist: list(closed(playlist.needed, playlist.others)) }),
  playlist: closed({ ...playlist.needed, entry: list(child) }, playlist.others),
  lyricsList: closed({ structuredLyrics: list(lyrics) }),
  lyrics: closed({}, all('artist title value', text)),
  playQueue: closed(queue.needed, { ...queue.others, current: text }),
  playQueueByIndex: closed(queue.needed, { ...queue.others, currentIndex: whole }),
  bookmarks: closed({
    bookmark: list(closed({
      position: whole, username: text, created: time, changed: time, entry: child
    }, { comment: text }))
  }),
  scanStatus: closed({ scanning: flag }, { count: whole, folderCount: whole, lastScan: time }),
  podcasts: empty('channel'),
  newestPodcasts: empty('episode'),
  internetRadioStations: empty('internetRadioStation'),
  shares: empty('share'),
  videos: empty('video'),
  chatMessages: empty('chatMessage')
}

const envelope = {
  version: Type.Literal('1.16.1'), type: text, serverVersion: text, openSubsonic: Type.Literal(true)
}
const failed = TypeCompiler.Compile(closed({
  ...envelope, status: Type.Literal('failed'), error: closed({ code: whole, message: text }, { helpUrl: text })
}))
const done = TypeCompiler.Compile(closed({ ...envelope, status: Type.Literal('ok') }, payloads))

/** Throws where an answer in JSON is not what OpenSubsonic documents. */
export function checkEnvelope (answer: any): void {
  const schema = answer.status === 'failed' ? failed : done
  if (schema.Check(answer)) return
  const [first] = schema.Errors(answer)
  const inner = first!.errors.flatMap(errors => [...errors]).map(({ path, message, value }) =>
    `${path}: ${message}, not ${JSON.stringify(value)?.slice(0, 300)}`)
  assert.fail(`${first!.path}: ${first!.message}, not ${JSON.stringify(first!.value)?.slice(0, 300)}\n${inner.join('\n')}`)
}
