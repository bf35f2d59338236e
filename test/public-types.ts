// What the public types let pass and refuse. `npm run types` compiles this file, nothing runs it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  createSourceRouter, errors, sourceOrigin, TrackSchema,
  type Album, type AlbumDetail, type Artist, type ResolveContext, type SearchSuggest, type SourceAdapter,
  type SourceContext, type Track, type TrackPage, type TrackQuality, type TrackUrl
} from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createSourceCache } from 'fastify-source-origin/cache'
import type { Report } from 'fastify-source-origin/check'
import { createSourceClient, type SourceClient } from 'fastify-source-origin/client'
import type { MediaKind, MediaUrl } from 'fastify-source-origin/media'
import type { ServeContextOptions, ServeSourceOptions, SourceCall } from 'fastify-source-origin/serve'
import { cursorPager, createUpstream } from 'fastify-source-origin/upstream'
import type { Static } from '@sinclair/typebox'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
const same = <A, B>(_same: Same<A, B>) => {}

// A resource names the resources that it holds.
same<Track['album'], Album>(true)
same<Track['artists'], Artist[]>(true)
same<NonNullable<Track['qualities']>, TrackQuality[]>(true)
same<AlbumDetail['tracks'], Track[]>(true)
same<TrackPage['items'], Track[]>(true)
same<SearchSuggest['songs'], Track[]>(true)
same<Track['album'], Artist>(false)

// The types are those of the schemas.
declare const track: Track
declare const shape: Static<typeof TrackSchema>
shape satisfies Track
// What optional members are made from may be missing.
declare const row: { genre: string | undefined }
export const album: Album = { id: '', name: '', coverUrl: '', genre: row.genre }
// @ts-expect-error what is required may not
export const nameless: Album = { id: '', name: row.genre, coverUrl: '' }
same<Track['mvId'], string | null | undefined>(true)

// Adapters answer at once or later. They get defaults filled in, and leave out what has one.
export const adapter: SourceAdapter = {
  searchTracks: (keyword, offset, limit) => {
    same<[typeof keyword, typeof offset, typeof limit], [string, number, number]>(true)
    return { items: [], offset, limit, hasMore: false }
  },
  async getTrackUrl (id, quality) {
    same<typeof quality, string | undefined>(true)
    return { url: id, quality: quality ?? 'best' } satisfies TrackUrl
  }
}
// @ts-expect-error there is no such method
adapter.getTrack = () => track
// @ts-expect-error a duration is a number
adapter.getTrackDetail = () => ({ ...track, durationMs: '' })
// @ts-expect-error an album is more than its id
adapter.getDailyTracks = async () => [{ ...track, album: { id: '' } }]

// Lists that an adapter keeps and never changes are answered as they are, wherever they stand.
declare const kept: readonly Track[]
declare const keptPage: Readonly<Omit<TrackPage, 'items'> & { items: readonly Track[] }>
adapter.getDailyTracks = () => kept
adapter.searchTracks = async () => keptPage
adapter.getTrackDetail = () => ({ ...track, artists: kept[0]!.artists as readonly Artist[] })

// What rejects a request, and what does not.
export const resolvers: ResolveContext[] = [
  () => null,
  async () => undefined,
  () => false,
  ({ authorization, request, signal }) => {
    same<[typeof authorization, typeof request, typeof signal], [string | undefined, FastifyRequest, AbortSignal]>(true)
    return { adapter, stateless: false, account: 'ada' } satisfies SourceContext
  },
  // @ts-expect-error true is no context
  () => true,
  // @ts-expect-error a context has an adapter
  () => ({ account: 'ada' })
]

export function register (app: FastifyInstance): void {
  const cache = createSourceCache({
    operations: {
      getAlbumDetail: { ttl: ({ tracks }, [id, trackLimit]) => tracks.length + id.length + trackLimit },
      getPlaylists: false
    }
  })
  app.register(sourceOrigin, { resolveContext: () => null, cache })
  app.register(createSourceRouter({ resolveContext: () => null, prefix: '/music' }))
  app.get('/', request => request.sourceContext?.capabilities.join())
  // @ts-expect-error resolveContext is required
  app.register(sourceOrigin, {})
  // @ts-expect-error a change is not kept
  createSourceCache({ operations: { createPlaylist: { ttl: 1000 } } })
}

export async function callOrigin (report: Report): Promise<void> {
  const client = createSourceClient({ baseUrl: 'http://127.0.0.1' })
  client satisfies SourceAdapter
  same<Awaited<ReturnType<SourceClient['getTrackDetail']>>, Track>(true)
  // @ts-expect-error an id is a string
  await client.getTrackDetail(1)
  same<typeof report['outcome'], 'ok' | 'warning' | 'broken'>(true)
  throw new errors.NotFoundError('none', { retryAfterSeconds: 1 })
}

export async function askUpstream (): Promise<void> {
  const upstream = createUpstream({ baseUrl: 'http://127.0.0.1' })
  const tracksFrom = cursorPager({ fetch: cursor => upstream.json<{ items: Track[] }>(`/tracks?cursor=${cursor}`) })
  const page = await tracksFrom(0, 20)
  page satisfies TrackPage
  const accounts = createAccounts({ store: memoryAccountStore() })
  const session = accounts.session('ada', {
    refresh: async (old: { token: string } | undefined) =>
      old ?? { token: '' }
  })
  await session.use(async ({ token }) => token)
  // @ts-expect-error a session is what refresh gives
  await session.save({ cookie: '' })
}

// Media URLs know their kinds and params, and so does `resolve`. Without them any kind passes.
interface Media { audio: { account: string, id: string }, cover: { id: string } }
declare const mediaUrl: MediaUrl<Media>
mediaUrl('audio', { account: 'ann', id: '1' }, { extension: 'mp3' })
mediaUrl('cover', { id: '1' }, { extension: 'jpg', stable: true })
// @ts-expect-error there is no such kind
mediaUrl('covers', { id: '1' }, { extension: 'jpg' })
// @ts-expect-error the account is missing
mediaUrl('audio', { id: '1' }, { extension: 'mp3' })
// @ts-expect-error a cover has no account
mediaUrl('cover', { account: 'ann', id: '1' }, { extension: 'jpg' })
export const audio: MediaKind<Media['audio']> = {
  hosts: ['cdn.example'],
  resolve: ({ account, id }) => {
    same<[typeof account, typeof id], [string, string]>(true)
    return { url: id }
  }
}
export const served: Pick<ServeSourceOptions, 'adapter' | 'media'> = {
  adapter: (call: SourceCall<Media>) => ({
    getTrackUrl (id) {
      return { url: call.mediaUrl('audio', { account: 'ann', id }, { extension: 'mp3' }), quality: '' }
    }
  }),
  media: { keys: [], kinds: { audio } }
}
declare const anyMediaUrl: MediaUrl
anyMediaUrl('lyrics', { id: '1', language: undefined }, { extension: 'lrc' })

// A source knows its callers in one way.
declare const ofAccounts: Pick<ServeSourceOptions, 'accounts' | 'adapter'>
export const byAccounts: ServeSourceOptions | ServeContextOptions = ofAccounts
export const byContext: ServeSourceOptions | ServeContextOptions = { resolveContext: () => null }
// @ts-expect-error not in both
export const byBoth: ServeSourceOptions | ServeContextOptions = { ...ofAccounts, resolveContext: () => null }
