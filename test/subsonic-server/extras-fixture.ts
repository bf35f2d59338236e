import { extras, type Album, type Track } from 'fastify-source-origin'

export const ada = {
  id: 'ada', name: 'Ada', [extras]: { sortName: 'Ada', roles: ['composer', 'artist'], averageRating: 4.5 }
}
export const album: Album = {
  id: 'a',
  name: 'Both',
  coverUrl: '',
  genre: 'Pop',
  publishTime: Date.UTC(2001, 0),
  trackCount: 2,
  [extras]: {
    version: 'Remastered',
    releaseTypes: ['EP'],
    isCompilation: true,
    recordLabels: ['Blue'],
    originalReleaseDate: { year: 1999, month: 3 },
    releaseDate: { year: 2001 },
    discTitles: [{ disc: 2, title: 'Live' }],
    genres: ['Pop', 'Folk'],
    artists: [ada, { id: 'bo', name: 'Bo' }],
    displayArtist: 'Ada & Bo',
    explicitStatus: 'clean',
    created: '2020-01-02T03:04:05Z',
    duration: 77,
    playCount: 3
  }
}
export const first: Track = { id: '1', title: 'One', artists: [ada], album, durationMs: 1000, qualities: [] }
export const second: Track = {
  ...first,
  id: '2',
  [extras]: {
    discNumber: 2,
    track: 1,
    year: 2002,
    genres: ['Jazz', 'Rock'],
    isrc: ['DE1'],
    musicBrainzId: 'mbid',
    bpm: 120,
    samplingRate: 44100,
    bitDepth: 16,
    channelCount: 2,
    replayGain: { trackGain: -7.5, trackPeak: 0.98 },
    albumArtists: [ada],
    displayAlbumArtist: 'Ada Plume',
    displayArtist: 'Ada feat. Bo',
    contributors: [
      { role: 'composer', artist: { id: 'cy', name: 'Cy' } },
      { role: 'performer', subRole: 'flute', artist: { name: 'Ada' } },
      { role: 'lyricist', artist: { name: 'Nobody' } }
    ],
    displayComposer: 'Cy',
    moods: ['calm'],
    works: [{ name: 'Work' }],
    played: '2026-01-02T03:04:05.678Z',
    created: 'yesterday'
  }
}
export const bare = { id: 'b', name: 'Bare', coverUrl: '', [extras]: {} }
export const adapter = {
  getTrackDetail: (id: string) => id === '1' ? first : second,
  getAlbumDetail: () => ({ ...album, tracks: [first, second] }),
  getArtistDetail: () => ({ ...ada, tracks: [] }),
  getPlaylistDetail: (id: string) =>
    ({ id, name: 'Today', tracks: [first], [extras]: { validUntil: '2026-01-02T03:04:05Z' } }),
  getArtistAlbums: () => ({ items: [album], offset: 0, limit: 100, hasMore: false })
}
