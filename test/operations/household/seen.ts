import { itemsIn } from './find.ts'
import type { House } from './house.ts'
import { readList } from './lists.ts'

/** Lists that have something of an account. */
export const personal = [
  '/v1/playlist/list?limit=50',
  '/v1/playlist/recommended?limit=50',
  '/v1/search/playlists?keyword=private&limit=100',
  '/v1/user/favorite/tracks',
  '/v1/user/album/list',
  '/v1/user/artist/list',
  '/page/plays',
  '/page/browse?kind=albums&sort=plays&limit=200',
  '/page/browse?kind=albums&sort=played&limit=200',
  '/rest/getAlbumList2?type=recent&size=500',
  '/rest/getAlbumList2?type=frequent&size=500',
  '/rest/getAlbumList2?type=starred&size=500',
  '/rest/getStarred2',
  '/rest/getStarred',
  '/rest/getBookmarks',
  '/rest/getPlayQueue',
  '/rest/getNowPlaying',
  '/rest/getTopSongs?artist=Attic Band&count=50',
  '/rest/getTopSongs?artist=Harbour Band 1&count=50'
]

/** What somebody sees of a list. */
export async function seen (listener: House['owner'], path: string) {
  const { text, isAnswered } = await readList(listener, path)
  if (!isAnswered) throw new Error(`${path}: ${text.slice(0, 300)}`)
  return itemsIn(JSON.parse(text))
}
