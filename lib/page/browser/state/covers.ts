import { signal } from '@preact/signals'
import type { SourceClient, Track } from '../../../client/index.ts'
import { ownPath, ownUrl } from './own.ts'
import { ask, can } from './session.ts'

/** An item with a cover. */
export interface CoverOf {
  readonly kind: 'track' | 'album' | 'artist' | 'playlist'
  readonly id: string
}

/** The requested cover sizes in pixels. */
const sizes = [64, 128, 192, 384, 512, 768] as const

/**
 * Returns the URL of a cover of the source beside the page in another size; `undefined` for covers of other servers.
 *
 * @param pixels the displayed size
 */
export function sized (url: string, pixels: number): string | undefined {
  if (!url.startsWith(`${ownUrl}/`)) return undefined
  return ownPath('GET cover', { size: sizes.find(size => size >= pixels) ?? 768, of: url.slice(ownUrl.length) })
}

/** Renewed URLs of covers by their expired URLs. */
const renewed = signal<ReadonlyMap<string, string>>(new Map())
/** Expired URLs whose renewal was requested. */
const asked = new Set<string>()

/**
 * The number of consecutive renewals without another URL, after which renewals pause: expiry is then not the problem.
 */
const mostUseless = 3
/** Milliseconds until renewals are attempted again. */
const pause = 600_000
let useless = 0
let uselessSince = -pause

/** Returns the latest URL of a cover. */
export function latestUrl (url: string): string {
  const next = renewed.value.get(url)
  return next === undefined ? url : latestUrl(next)
}

const loaders: Readonly<Record<CoverOf['kind'], readonly [
  capability: string, load: (client: SourceClient, id: string) => Promise<string | undefined>
]>> = {
  track: ['songDetail', async (client, id) => (await client.getTrackDetail(id)).album.coverUrl],
  album: ['albumDetail', async (client, id) => (await client.getAlbumDetail(id, 1)).coverUrl],
  artist: ['artistDetail', async (client, id) => (await client.getArtistDetail(id, 1)).coverUrl],
  playlist: ['playlists', async (client, id) => (await client.getPlaylistDetail(id, 1)).coverUrl]
}

/**
 * Requests a new URL of a cover that does not load, since an item may be displayed for longer than its URL is valid.
 */
export async function renewCover (url: string, { kind, id }: CoverOf): Promise<void> {
  const [capability, load] = loaders[kind]
  const isPaused = useless >= mostUseless && performance.now() - uselessSince < pause
  if (asked.has(url) || isPaused || id === '' || !can(capability)) return
  asked.add(url)
  const other = await ask(client => load(client, id)).catch(() => undefined)
  if (typeof other !== 'string' || other === '' || latestUrl(other) === url) {
    useless++
    uselessSince = performance.now()
    return
  }
  useless = 0
  renewed.value = new Map([...renewed.value, [url, other]])
}

export const coverOf = ({ id }: Track): CoverOf => ({ kind: 'track', id })
