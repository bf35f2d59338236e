import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import {
  createSourceRouter, NotFoundError, tokenMatches,
  type Album, type Artist, type Playlist, type SourceAdapter, type SourceContext, type SourceExtras, type Track
} from 'fastify-source-origin'
import { token } from './helper.ts'

export { token }

export const qualityMap = [{ key: 'lossless', label: 'Lossless' }, { key: 'high', label: 'High' }]
export const playlistSortOptions = [{ key: 'title', label: 'Title' }, { key: 'duration', label: 'Duration' }]

const names = ['Ada', 'Bela', 'Cleo', 'Dina']
const words = ['Morning', 'Noon', 'Evening', 'Night']

/** An adapter with every method of the contract. */
export type WholeAdapter = Required<Omit<SourceAdapter, keyof SourceExtras>>

/** A small source that keeps every rule of the contract, in memory. `origin` is where its audio and covers are. */
export function createReferenceAdapter (origin: () => string): WholeAdapter {
  const cover = (name: string) => `${origin()}/covers/${name}.png`
  const favorites = {
    track: new Set<string>(['t1']),
    artist: new Set<string>(['a1']),
    album: new Set<string>(['b1']),
    playlist: new Set<string>()
  }
  const artists = (): Artist[] => names.map((name, index) =>
    ({
      id: `a${index}`,
      name: `${name} Quartet`,
      coverUrl: cover(`a${index}`),
      favorite: favorites.artist.has(`a${index}`)
    }))
  const albums = (): Album[] => words.map((word, index) => ({
    id: `b${index}`,
    name: `${word} Music`,
    coverUrl: cover(`b${index}`),
    publishTime: 1_600_000_000_000 + index,
    trackCount: 4,
    artistName: `${names[index]} Quartet`,
    favorite: favorites.album.has(`b${index}`)
  }))
  const tracks = (): Track[] => Array.from({ length: 16 }, (_empty, index) => ({
    id: `t${index}`,
    title: `${words[index % 4]} Song ${index}`,
    artists: [artists()[index % 4]!],
    album: albums()[index % 4]!,
    durationMs: 180_000 + index * 1000,
    mvId: null,
    favorite: favorites.track.has(`t${index}`),
    qualities: qualityMap.slice(index % 2).map(({ key, label }, at) =>
      ({ key, label, size: 1_000_000 + index * 10 + at, bitrate: 320_000 }))
  }))
  const own: { id: string, name: string, description: string, tracks: string[] }[] = []
  const playlists = (): Playlist[] => [
    ...Array.from({ length: 5 }, (_empty, index) => ({
      id: `p${index}`,
      name: `${words[index % 4]} Hours ${index}`,
      description: '',
      coverUrl: cover(`p${index}`),
      trackCount: 3,
      createdAt: 1_600_000_000_000
    })),
    ...own.map(({ id, name, description, tracks }) =>
      ({ id, name, description, coverUrl: '', trackCount: tracks.length }))
  ]
  const find = <T extends { id: string }>(list: T[], id: string): T => {
    const found = list.find(item => item.id === id)
    if (found === undefined) throw new NotFoundError(`There is no ${id}`)
    return found
  }
  const pageOf = <T>(list: T[], offset: number, limit: number) =>
    ({ items: list.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < list.length })
  const cut = <T>(list: T[], limit: number) => limit === -1 ? list : list.slice(0, limit)
  const matching = <T extends { name: string }>(list: T[], keyword: string) =>
    list.filter(({ name }) => name.toLowerCase().includes(keyword.toLowerCase()))
  const tracksMatching = (keyword: string) =>
    tracks().filter(({ title }) => title.toLowerCase().includes(keyword.toLowerCase()))
  const tracksOf = (id: string) =>
    own.find(playlist => playlist.id === id)?.tracks.map(track => find(tracks(), track)) ?? tracks().slice(0, 3)
  const favor = (kind: keyof typeof favorites, list: { id: string }[], id: string, status: boolean) => {
    find(list, id)
    favorites[kind][status ? 'add' : 'delete'](id)
    return { success: true, status }
  }
  let created = 0

  return {
    getPlaylists: (offset, limit, category) => pageOf(playlists().filter(({ name }) =>
      category === undefined || /Evening|Night/.test(name) === (category === 'night')), offset, limit),
    getPlaylistCategories: () => [{ key: 'day', label: 'For the day' }, { key: 'night', label: 'For the night' }],
    getRecommendedPlaylist: (offset, limit) => pageOf(playlists().slice(0, 4), offset, limit),
    getPlaylistDetail: (id, trackLimit, sort, order) => {
      const list = [...tracksOf(id)]
      if (sort === 'title') list.sort((a, b) => a.title.localeCompare(b.title))
      if (sort === 'duration') list.sort((a, b) => a.durationMs - b.durationMs)
      if (order === 'desc') list.reverse()
      return { ...find(playlists(), id), tracks: cut(list, trackLimit) }
    },
    createPlaylist: name => {
      own.push({ id: `own${created++}`, name, description: '', tracks: [] })
      return playlists().at(-1)!
    },
    updatePlaylist: (id, name, description) => {
      Object.assign(find(own, id), { name, description })
      return find(playlists(), id)
    },
    deletePlaylist: id => {
      own.splice(own.indexOf(find(own, id)), 1)
      return { success: true }
    },
    addTrackToPlaylist: (playlistId, trackId) => {
      find(own, playlistId).tracks.push(find(tracks(), trackId).id)
      return { success: true }
    },
    removeTrack: (playlistId, trackId) => {
      const playlist = find(own, playlistId)
      playlist.tracks = playlist.tracks.filter(id => id !== trackId)
      return { success: true }
    },
    favoritePlaylist: (id, status) => favor('playlist', playlists(), id, status),
    getToplist: () => [{
      name: 'Charts',
      list: [{
        id: 'c0',
        name: 'Most played',
        coverUrl: cover('c0'),
        updateFrequency: 'daily',
        tracks: [
          { name: tracks()[0]!.title, artistName: names[0]! }
        ]
      }]
    }],
    getToplistTracks: (id, offset, limit) => {
      const chart = find([{ id: 'c0', name: 'Most played' }], id)
      return {
        ...chart, coverUrl: cover(id), trackCount: 8, tracks: tracks().slice(0, 8).slice(offset, offset + limit)
      }
    },
    getTrackDetail: id => find(tracks(), id),
    getSimilarTracks: id => { find(tracks(), id); return tracks().slice(4, 8).filter(track => track.id !== id) },
    getTrackUrl: (id, quality) => {
      const { qualities } = find(tracks(), id)
      const given = qualities!.find(({ key }) => key === quality) ?? qualities![0]!
      return {
        url: `${origin()}/audio/${id}.wav`, quality: given.key, format: 'wav', bitrate: 320_000, size: given.size
      }
    },
    getTrackLyrics: id => ({ lyrics: `[00:01.00]${find(tracks(), id).title}` }),
    getNewTracks: () => tracks().slice(8, 12),
    getDailyTracks: () => tracks().slice(4, 9),
    getRoamTracks: () => tracks().slice(2, 6),
    favoriteTrack: (id, status) => favor('track', tracks(), id, status),
    searchSuggest: keyword => ({
      songs: tracksMatching(keyword).slice(0, 3),
      artists: matching(artists(), keyword),
      albums: matching(albums(), keyword)
    }),
    searchTracks: (keyword, offset, limit) => pageOf(tracksMatching(keyword), offset, limit),
    searchArtists: (keyword, offset, limit) => pageOf(matching(artists(), keyword), offset, limit),
    searchAlbums: (keyword, offset, limit) => pageOf(matching(albums(), keyword), offset, limit),
    searchPlaylists: (keyword, offset, limit) => pageOf(matching(playlists(), keyword), offset, limit),
    getTopArtists: () => artists(),
    getArtistDetail: (id, trackLimit) =>
      ({ ...find(artists(), id), tracks: cut(tracks().filter(track => track.artists[0]!.id === id), trackLimit) }),
    getArtistTracks: (id, _order, offset, limit) => {
      find(artists(), id)
      return pageOf(tracks().filter(track => track.artists[0]!.id === id), offset, limit)
    },
    getArtistAlbums: (id, offset, limit) => {
      const { name } = find(artists(), id)
      return pageOf(albums().filter(({ artistName }) => artistName === name), offset, limit)
    },
    favoriteArtist: (id, status) => favor('artist', artists(), id, status),
    getAlbumDetail: (id, trackLimit) =>
      ({ ...find(albums(), id), tracks: cut(tracks().filter(({ album }) => album.id === id), trackLimit) }),
    favoriteAlbum: (id, status) => favor('album', albums(), id, status),
    getUserMe: () => ({ userId: 'u1', nickname: 'Ada', avatar: cover('u1'), platform: 'Reference' }),
    getUserPlaylist: () => playlists().filter(({ id }) => id.startsWith('own') || favorites.playlist.has(id)),
    userFavoriteTracks: () => tracks().filter(({ favorite }) => favorite),
    userArtists: () => artists().filter(({ favorite }) => favorite),
    userAlbums: () => albums().filter(({ favorite }) => favorite)
  }
}

/** A picture of one pixel, and more bytes than anybody needs of it. */
const picture = Buffer.concat([
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64'
  ),
  Buffer.alloc(2000)
])

/** A second of silence: 8 bit, mono, 800 samples. */
const audio = Buffer.concat([
  Buffer.from('RIFF'), Buffer.from(new Uint32Array([36 + 800]).buffer), Buffer.from('WAVEfmt '),
  Buffer.from(new Uint32Array([16]).buffer), Buffer.from(new Uint16Array([1, 1]).buffer),
  Buffer.from(new Uint32Array([800, 800]).buffer),
  Buffer.from(new Uint16Array([1, 8]).buffer), Buffer.from('data'), Buffer.from(new Uint32Array([800]).buffer),
  Buffer.alloc(800, 128)
])

/** The reference source with its audio and covers, as an app. `context` goes over its own. */
export async function buildReference (
  context: Partial<SourceContext> = {}, at = { origin: 'http://localhost' }
): Promise<FastifyInstance> {
  const source = { adapter: createReferenceAdapter(() => at.origin), ...context }
  return buildReferences(() => source)
}

/** Several sources as one app, with audio and covers for all. `sourceOf` finds the one of a request. */
export async function buildReferences (
  sourceOf: (request: FastifyRequest) => Partial<SourceContext> & Pick<SourceContext, 'adapter'>
): Promise<FastifyInstance> {
  const app = fastify()
  await app.register(createSourceRouter({
    resolveContext: ({ authorization, request }) => tokenMatches(authorization, token)
      ? { stateless: false, qualityMap, playlistSortOptions, ...sourceOf(request) }
      : null
  }))
  app.get('/covers/:name', (_request, reply) => reply.type('image/png').send(picture))
  app.get('/audio/:name', (request, reply) => {
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    reply.type('audio/wav').header('accept-ranges', 'bytes')
    if (from === undefined) return reply.send(audio)
    if (Number(from) >= audio.length) return reply.code(416).header('content-range', `bytes */${audio.length}`).send()
    const end = Math.min(to ? Number(to) : audio.length - 1, audio.length - 1)
    return reply.code(206).header('content-range', `bytes ${from}-${end}/${audio.length}`)
      .send(audio.subarray(Number(from), end + 1))
  })
  return app
}
