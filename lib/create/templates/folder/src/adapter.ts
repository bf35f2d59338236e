import { NotFoundError, type SourceAdapter } from 'fastify-source-origin'
import type { Song } from './read-music.ts'

/**
 * The adapter of the source. Each method is one operation, and all are optional: an operation without a method is not
 * declared to clients. Your editor lists the others; getAlbumDetail and getArtistDetail are good ones to go on with.
 *
 * @param songs by id
 * @param urlOf where clients get the audio of a song
 */
export function createAdapter (songs: Map<string, Song>, urlOf: (song: Song) => string): SourceAdapter {
  const songOf = (id: string) => {
    const song = songs.get(id)
    if (song === undefined) throw new NotFoundError('Track not found')
    return song
  }
  const tracks = [...songs.values()].map(({ track }) => track)

  return {
    searchTracks (keyword, offset, limit) {
      const found = tracks.filter(({ title }) => title.toLowerCase().includes(keyword.toLowerCase()))
      return { items: found.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < found.length }
    },

    getNewTracks: () => tracks.slice(0, 50),

    getTrackDetail: id => songOf(id).track,

    getTrackUrl: id => ({ url: urlOf(songOf(id)), quality: 'standard', format: songOf(id).format })
  }
}
