import { extras } from '../../schemas/extras.ts'
import { NotFoundError } from '../contract/errors.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'

type Page = Awaited<ReturnType<NonNullable<SourceAdapter['getPlaylists']>>>

interface ListedPlaylist {
  readonly id: string, readonly [extras]?: { readonly public?: boolean | undefined } | undefined
}

/**
 * Returns adapter methods for an account that has no login at the source. Playlists of the configured login are hidden
 * unless they are public.
 */
export function sharedPlaylists (adapter: SourceAdapter): Partial<SourceAdapter> {
  const { getPlaylists, getRecommendedPlaylist, searchPlaylists, getPlaylistDetail } = adapter
  const ofLogin = async () => await adapter.getUserPlaylist?.() ?? []
  const isPublic = (playlist: ListedPlaylist) => playlist[extras]?.public === true
  const hiddenIds = async () => new Set((await ofLogin()).filter(one => !isPublic(one)).map(({ id }) => id))
  const isVisible = (hidden: ReadonlySet<string>) => (playlist: ListedPlaylist) =>
    playlist[extras]?.public !== false && !hidden.has(playlist.id)
  return {
    ...getPlaylists && {
      async getPlaylists (offset: number, limit: number, category?: string): Promise<Page> {
        const all = await ofLogin()
        const known = new Set(all.map(({ id }) => id))
        // A source lists playlists of other users here, so the public ones of the login are added first.
        const first = category === undefined ? all.filter(isPublic) : []
        const items = first.slice(offset, offset + limit)
        const left = limit - items.length
        if (left === 0) return { items, offset, limit, hasMore: true }
        const next = await Reflect.apply(getPlaylists, adapter, [Math.max(0, offset - first.length), left, category])
        const others = next.items.filter(one => isVisible(known)(one))
        return { items: [...items, ...others], offset, limit, hasMore: next.hasMore }
      }
    },
    ...getRecommendedPlaylist && {
      async getRecommendedPlaylist (...args: Parameters<typeof getRecommendedPlaylist>): Promise<Page> {
        const [page, hidden] = await Promise.all([Reflect.apply(getRecommendedPlaylist, adapter, args), hiddenIds()])
        return { ...page, items: page.items.filter(isVisible(hidden)) }
      }
    },
    ...searchPlaylists && {
      async searchPlaylists (...args: Parameters<typeof searchPlaylists>): Promise<Page> {
        const [page, hidden] = await Promise.all([Reflect.apply(searchPlaylists, adapter, args), hiddenIds()])
        return { ...page, items: page.items.filter(isVisible(hidden)) }
      }
    },
    ...getPlaylistDetail && {
      async getPlaylistDetail (...args: Parameters<typeof getPlaylistDetail>) {
        const playlist = await Reflect.apply(getPlaylistDetail, adapter, args)
        if (!isPublic(playlist) && !isVisible(await hiddenIds())(playlist)) {
          throw new NotFoundError('Playlist not found')
        }
        return playlist
      }
    }
  }
}
