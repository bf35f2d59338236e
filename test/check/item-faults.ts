import { createReferenceAdapter, type WholeAdapter } from '../reference-source.ts'
import { everywhere, failure, spoil, spoilData, type Fault, type FaultRow } from './inject-faults.ts'

/** Leaves `favorite` out of items that have a member. */
const withoutFavorite = (member: string) => everywhere(text => JSON.stringify(JSON.parse(text, (_name, value) =>
  value !== null && typeof value === 'object' && member in value ? { ...value, favorite: undefined } : value)))

/** An adapter that differs from the sound one. */
const adapter = (change: (sound: WholeAdapter) => Partial<WholeAdapter>): Pick<Fault, 'context'> => {
  const sound = createReferenceAdapter(() => 'http://faulty.example')
  return { context: { adapter: { ...sound, ...change(sound) } } }
}
const unspoilt: FaultRow[3] = (_asked, sound) => sound()

const years = 2 * 366 * 24 * 3600 * 1000

/** Faults in what several answers say of an item, and in what a change does beside its purpose. */
export const itemFaults: FaultRow[] = [
  ['search-case', 'searchAlbums', 'names in another case', spoilData('searchAlbums', (data, { query }) =>
    /^[a-z][A-Z]/.test(query.get('keyword')!) ? { ...data, items: [], hasMore: false } : data)],
  ['answer-error', 'searchTracks', 'a quote in the keyword ends the SQL string', spoil('searchTracks',
    (given, { query }) => query.get('keyword')?.includes("'") ? failure(500) : given)],
  ['list-repeats', 'getNewTracks', 'a track twice', spoilData('getNewTracks', data => [...data, data[0]])],
  ['list-repeats', 'getArtistTracks', 'a track twice on a page', spoilData('getArtistTracks', (data, { query }) => {
    if (!query.has('limit')) data.items[1] = data.items[0]
  })],
  ['list-repeats', 'getSimilarTracks', 'the track itself', spoilData('getSimilarTracks',
    (data, { query }) => [{ ...data[0], id: query.get('id') }])],
  ['favorite-state', 'userFavoriteTracks', 'tracks without favorite', withoutFavorite('durationMs')],
  ['favorite-state', 'userAlbums', 'albums without favorite', withoutFavorite('publishTime')],
  ['favorite-state', 'userFavoriteTracks', 'a favourite that is none',
    spoilData('userFavoriteTracks', data => { for (const track of data) track.favorite = false })],
  ['favorite-state', 'getAlbumDetail', 'another state in the detail',
    spoilData('getAlbumDetail', data => { data.favorite = !data.favorite }),
    // A change would seem to have no effect either.
    { options: { write: false } }],
  ['favorite-state', 'getArtistDetail', 'an artist that the list of favourites lacks',
    spoilData('getArtistDetail', data => { if (data.id === 'a0') data.favorite = true })],
  ['detail-differs', 'getTrackDetail', 'another album',
    spoilData('getTrackDetail', data => { data.album = { id: 'b9', name: 'Ninth', coverUrl: '' } })],
  ['detail-differs', 'getTrackDetail', 'other artists',
    spoilData('getTrackDetail', data => { data.artists = [{ id: 'a9', name: 'Nina' }] })],
  ['detail-differs', 'getAlbumDetail', 'another year',
    spoilData('getAlbumDetail', data => { data.publishTime -= years })],
  ['track-foreign', 'getArtistAlbums', 'albums of others', spoilData('getArtistAlbums', (data, { query }) => {
    const other = query.get('id') === 'a3' ? 0 : 3
    for (const album of data.items) Object.assign(album, { id: `b${other}`, artistName: 'Nina' })
  })],
  ['track-count', 'getPlaylistDetail', 'the tracks that are sent', spoilData('getPlaylistDetail',
    data => { data.trackCount = data.tracks.length })],
  ['track-count', 'getAlbumDetail', 'the tracks that are sent', spoilData('getAlbumDetail',
    data => { data.trackCount = data.tracks.length })],
  ['track-count', 'getToplistTracks', 'the tracks of the page', spoilData('getToplistTracks',
    data => { data.trackCount = data.tracks.length })],
  ['track-count', 'getToplistTracks', 'one more than there are', spoilData('getToplistTracks',
    data => { data.trackCount++ })],
  ['track-count', 'getToplistTracks', 'the tracks of the page of a long list', unspoilt, adapter(sound => ({
    getTrackDetail: async id => ({ ...await sound.getTrackDetail(id.replace(/^long.*/, 't0')), id }),
    getToplistTracks: async (id, offset, limit) => {
      const list = await sound.getToplistTracks(id, 0, 1)
      const tracks = Array.from({ length: 1000 }, (_, at) => ({ ...list.tracks[0]!, id: `long${at}` }))
      return { ...list, trackCount: limit, tracks: tracks.slice(offset, offset + limit) }
    }
  }))],
  ['track-count', 'getPlaylistDetail', 'another number than in the list', spoilData('getPlaylists',
    data => { for (const playlist of data.items) if (playlist.trackCount === 3) playlist.trackCount = 9 })],
  ['tracks-unstable', 'getAlbumDetail', 'the last track with trackLimit 1', spoilData('getAlbumDetail',
    (data, { query }) => { if (query.get('trackLimit') === '1') data.tracks[0].id = 't99' })],
  ['audio-same', 'getTrackUrl', 'one URL for all tracks', spoilData('getTrackUrl',
    data => { data.url = data.url.replace(/t\d+/, 't0') })],
  ['audio-format', 'getTrackUrl', 'the format of another file',
    spoilData('getTrackUrl', data => { data.format = 'mp3' })],
  ['quality-ignored', 'getTrackUrl', 'one quality for each',
    spoilData('getTrackUrl', data => { data.quality = 'high' })],
  ['write-toggles', 'favoriteTrack', 'a favourite that is one is none', unspoilt, adapter(sound => ({
    favoriteTrack: async (id, _status) => sound.favoriteTrack(id, !(await sound.getTrackDetail(id)).favorite)
  }))],
  ['write-toggles', 'favoriteAlbum', 'the answer is what was asked for', unspoilt, adapter(sound => ({
    favoriteAlbum: async (id, status) => {
      await sound.favoriteAlbum(id, !(await sound.getAlbumDetail(id, 0)).favorite)
      return { success: true, status }
    }
  }))],
  ['write-others', 'removeTrack', 'all tracks are removed', unspoilt, adapter(sound => ({
    removeTrack: async (id, _track) => {
      for (const track of (await sound.getPlaylistDetail(id, -1)).tracks) await sound.removeTrack(id, track.id)
      return { success: true }
    }
  }))],
  ['write-no-effect', 'createPlaylist', 'another name', spoilData('createPlaylist', data => { data.name = 'New' })],
  ['write-no-effect', 'updatePlaylist', 'the old name in the detail', spoilData('getPlaylistDetail',
    data => { if (data.id.startsWith('own')) data.name = 'Made by a check' })]
]
