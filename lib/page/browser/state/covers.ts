import { signal } from '@preact/signals'
import type { SourceClient, Track } from '../../../client/index.ts'
import { ownPath, ownUrl } from './own.ts'
import { ask, can } from './sources.ts'

/** What has a cover. */
export interface CoverOf {
  readonly kind: 'track' | 'album' | 'artist' | 'playlist'
  readonly id: string
}

/** Pixels in which covers are asked for. */
const sizes = [64, 128, 192, 384, 512, 768] as const

/**
 * Where the source beside the page has a cover in another size; nothing for covers that are elsewhere.
 *
 * @param pixels the size in which it is shown
 */
export function sized (url: string, pixels: number): string | undefined {
  if (!url.startsWith(`${ownUrl}/`)) return undefined
  return ownPath('GET cover', { size: sizes.find(size => size >= pixels) ?? 768, of: url.slice(ownUrl.length) })
}

/** URLs of covers that took the place of others, which were good for some hours only. */
const renewed = signal<ReadonlyMap<string, string>>(new Map())
/** URLs in whose place another one was asked for. */
const asked = new Set<string>()

/** Answers in a row that gave no other URL, after which none is asked for: it is not the age of URLs. */
const mostUseless = 3
/** Milliseconds until it is tried again. */
const pause = 600_000
let useless = 0
let uselessSince = -pause

/** The latest URL of a cover. */
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

/** Asks for the URL of a cover again that does not load: what has it is shown for longer than the URL may be good. */
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
