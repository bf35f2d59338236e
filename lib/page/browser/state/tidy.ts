import type { Album, Artist, Playlist, Track } from '../../../client/index.ts'
import { cut, itemsOf } from './explain.ts'

/** The maximum length of a name in characters. The rest of a longer name would not be visible. */
const longestName = 400

const name = (value: unknown) => cut(typeof value === 'string' ? value : String(value ?? ''), longestName)
const isItem = (value: unknown): value is { id: string } => typeof value === 'object' && value !== null

/** Returns a track with valid properties, since responses of other sources may violate the contract. */
export function tidyTrack (track: Track): Track {
  return {
    ...track,
    title: name(track.title),
    artists: (Array.isArray(track.artists) ? track.artists : []).filter(isItem).map(tidyCard) as Artist[],
    album: tidyCard(isItem(track.album) ? track.album : { id: '', name: '', coverUrl: '' }) as Album,
    durationMs: Number.isFinite(track.durationMs) ? track.durationMs : 0,
    qualities: (Array.isArray(track.qualities) ? track.qualities : []).filter(
      quality => typeof quality?.key === 'string'
    )
  }
}

export function tidyCard<T extends Artist | Album | Playlist> (item: T): T {
  return { ...item, name: name(item.name), coverUrl: typeof item.coverUrl === 'string' ? item.coverUrl : '' }
}

export const tracksOf = (value: unknown): Track[] => itemsOf<Track>(value).map(tidyTrack)
export const cardsOf = <T extends Artist | Album | Playlist>(value: unknown): T[] => itemsOf<T>(value).map(tidyCard)

interface Page {
  readonly items: unknown
  readonly limit: number
  readonly hasMore: boolean
}

export const pageOfTracks = (page: Page) => ({ ...page, items: tracksOf(page.items) })
export const pageOfCards = <T extends Artist | Album | Playlist>(page: Page) =>
  ({ ...page, items: cardsOf<T>(page.items) })
