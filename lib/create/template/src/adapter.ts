import { NotFoundError, type SourceAdapter, type Track } from 'fastify-source-origin'
import { durationMs } from './demo-audio.ts'

// Stands for your catalogue: a database, a folder, or a service that you ask
// (fastify-source-origin/upstream asks it politely).
const artist = { id: 'scales', name: 'The Scales' }
const album = { id: 'first', name: 'First Steps', coverUrl: '' }
const tracks: Track[] = [
  { id: 'rising', title: 'Rising Scale', artists: [artist], album, durationMs },
  { id: 'falling', title: 'Falling Scale', artists: [artist], album, durationMs }
]

/**
 * What your source offers. Each method is one operation, and all are optional: an operation without a method is not
 * declared to clients.
 * Your editor lists the others; getTrackDetail, getTrackLyrics and getAlbumDetail are good ones to go on with.
 *
 * @param baseUrl where clients reach this source
 */
export function createAdapter (baseUrl: string): SourceAdapter {
  return {
    searchTracks (keyword, offset, limit) {
      const found = tracks.filter(({ title }) => title.toLowerCase().includes(keyword.toLowerCase()))
      return { items: found.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < found.length }
    },

    getTrackUrl (id) {
      if (!tracks.some(track => track.id === id)) throw new NotFoundError('There is no such track')
      return { url: `${baseUrl}/demo/${id}.wav`, quality: 'standard', format: 'wav' }
    }
  }
}
