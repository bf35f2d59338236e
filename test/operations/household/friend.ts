import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { nameOf } from './find.ts'
import type { Home } from './house.ts'
import { readList } from './lists.ts'
import { music, words } from './music.ts'
import { sources } from './outage.ts'
import { comesBackWithin, until } from './until.ts'

/** The time in which a library is read that could not be read at the start, in milliseconds. */
const readWithin = 75_000

const albums = [...new Set(music.friend.map(({ album }) => album))].sort()
const isOfFriend = (item: Record<string, any>): boolean => nameOf(item).startsWith(words.friend)
const namesIn = (items: readonly Record<string, any>[]): string[] => items.filter(isOfFriend).map(nameOf).sort()

/** Returns the names of the friend's albums by each protocol. */
async function albumsBy ({ owner }: Home) {
  const { albumList2 } = await owner.rest('getAlbumList2', { type: 'alphabeticalByName', size: 500 })
  const page = await owner.data('/page/browse?kind=albums&limit=200')
  const details = await Promise.all(page.items.filter(isOfFriend).map(({ id }: { id: string }) =>
    owner.data(`/v1/album/detail?id=${encodeURIComponent(id)}`)))
  return { rest: namesIn(albumList2.album), page: namesIn(page.items), v1: namesIn(details) }
}

const each = { rest: albums, page: albums, v1: albums }
const has = async (house: Home) => JSON.stringify(await albumsBy(house)) === JSON.stringify(each)

/** Checks the albums of a friend's source that is up, is killed, is down from the start, and comes up. */
export function checkFriend (t: Test, house: Home): void {
  const { friend, home, owner, switches } = house

  t.test('each album of a friend is listed once', async t => {
    t.strictSame(await albumsBy(house), each)
  })

  t.test('each album of a friend is listed once while the friend is killed, and when it runs again', async t => {
    await friend.kill()
    t.strictSame(await albumsBy(house), each)
    await friend.start()
    const search = '/v1/search/tracks?keyword=tune&limit=96'
    await until(async () => (await readList(owner, search, true)).missing === null, comesBackWithin)
    t.strictSame(await albumsBy(house), each)
  })

  t.test('each album of a friend is listed once after a restart without the friend', async t => {
    await switches.friend.set('refuse')
    t.equal(await home.stop(), 0)
    await home.start()
    await until(() => has(house), comesBackWithin)
    t.strictSame(await albumsBy(house), each)
  })

  t.test('a friend that was never read and is down is named, and its albums are there when it runs', async t => {
    t.equal(await home.stop(), 0)
    for (const end of ['', '-wal', '-shm']) await rm(join(home.dataDir, `mirrors.sqlite${end}`), { force: true })
    await home.start()
    const isNamed = async () => (await readList(owner, '/rest/getArtists')).missing === sources.friend
    await until(isNamed, comesBackWithin)
    t.ok(await isNamed())
    t.strictSame(await albumsBy(house), { rest: [], page: [], v1: [] })
    await switches.friend.set('pass')
    await until(() => has(house), readWithin)
    t.strictSame(await albumsBy(house), each)
  })
}
