import { NotFoundError } from 'fastify-source-origin'
import type { CatalogueTrack } from '../catalogue/catalogue-items.ts'
import type { Heard } from '../catalogue/listened.ts'

/** The maximum number of tracks of a toplist. */
const longest = 200

/** The tracks from which toplists choose. */
interface Tracks {
  /** Returns the first tracks that currently have files. */
  known (items: Iterable<{ readonly id: string }>, limit: number): Promise<CatalogueTrack[]>
  /** Returns the most recently added tracks. */
  newTracks (limit: number): CatalogueTrack[]
}

export interface ToplistKind {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly group: string
  readonly updateFrequency: string
  /** The time range until now in milliseconds in which plays count. */
  readonly time: number
  /** @param heard plays in that time range, sorted by count */
  readonly choose: (tracks: Tracks, heard: readonly Heard[]) => CatalogueTrack[] | Promise<CatalogueTrack[]>
}

const day = 24 * 60 * 60 * 1000
const ofPlays = { group: 'My plays', updateFrequency: 'With each play' }

/** The toplists, in the order of their groups. */
export const toplists: readonly ToplistKind[] = [
  mostPlayed('week', 'Most played this week', 'What you played most in the last seven days', 7 * day),
  mostPlayed('month', 'Most played this month', 'What you played most in the last thirty days', 30 * day),
  mostPlayed('ever', 'Most played ever', 'What you played most', Infinity),
  {
    ...ofPlays,
    id: 'recent',
    name: 'Recently played',
    description: 'What you played last',
    time: Infinity,
    choose: (tracks, heard) => tracks.known(heard.toSorted((a, b) => b.last - a.last), longest)
  },
  {
    id: 'added',
    name: 'New',
    description: 'What came to the folder last',
    group: 'Library',
    updateFrequency: 'With each scan',
    time: 0,
    choose: tracks => tracks.newTracks(longest)
  }
]

/** @throws NotFoundError */
export function findToplist (id: string): ToplistKind {
  const toplist = toplists.find(toplist => toplist.id === id)
  if (toplist === undefined) throw new NotFoundError('Toplist not found')
  return toplist
}

function mostPlayed (id: string, name: string, description: string, time: number): ToplistKind {
  return { ...ofPlays, id, name, description, time, choose: (tracks, heard) => tracks.known(heard, longest) }
}
