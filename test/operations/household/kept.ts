import { countNames, nameOf, type Found } from './find.ts'
import type { Home } from './house.ts'
import { lists, readList, wholes } from './lists.ts'
import type { SourceName } from './music.ts'
import { mix } from './prepare.ts'

export type Whole = ReadonlyMap<string, Record<SourceName, number>>

async function readWhole ({ owner }: Home): Promise<Whole> {
  const all = new Map<string, Record<SourceName, number>>()
  for (const path of [...lists, ...wholes]) all.set(path, countNames((await readList(owner, path)).text))
  return all
}

/** Returns the titles in the queue, the bookmarks, the playlist and the favourites of the owner. */
export async function keptBy ({ owner }: Pick<Home, 'owner'>) {
  const titlesOf = (items: any[] = []) => items.map(nameOf).sort()
  const { playlists } = await owner.rest('getPlaylists')
  const { id } = playlists.playlist.find((list: any) => nameOf(list) === mix)
  return {
    queue: titlesOf((await owner.rest('getPlayQueue')).playQueue.entry),
    bookmarks: titlesOf((await owner.rest('getBookmarks')).bookmarks.bookmark?.map(({ entry }: any) => entry)),
    playlist: titlesOf((await owner.rest('getPlaylist', { id })).playlist.entry),
    favourites: titlesOf((await owner.rest('getStarred2')).starred2.song)
  }
}

/** Stores bookmarks, a queue and favourites of all sources. @returns their titles, and the contents of all lists */
export async function keepAll (home: Home, songs: readonly Found[]) {
  const { owner } = home
  const ids = songs.map(({ entry }) => entry.id)
  for (const id of ids) await owner.rest('createBookmark', { id, position: 1000 })
  await owner.rest('savePlayQueue', { id: ids, current: ids[0]! })
  await owner.rest('star', { id: ids })
  return { whole: await readWhole(home), kept: await keptBy(home) }
}
