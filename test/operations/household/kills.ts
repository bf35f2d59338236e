import { execFileSync } from 'node:child_process'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { countNames, itemsIn, nameOf, type Found } from './find.ts'
import { copyData, fileOf, type Home } from './house.ts'
import { keepAll, keptBy } from './kept.ts'
import { fetchUrl } from './listener.ts'
import { longestList, readList } from './lists.ts'
import { words } from './music.ts'
import { sources } from './outage.ts'
import { comesBackWithin, until } from './until.ts'

const q = encodeURIComponent

/** Kills servers and starts them again. */
export function checkKills (t: Test, house: Home, songs: readonly Found[]): void {
  const { owner, switches, home } = house

  t.test('the source of a friend is killed and comes back', async t => {
    await house.friend.kill()
    const path = '/v1/search/tracks?keyword=tune&limit=99'
    const { text, missing } = await readList(owner, path)
    t.equal(missing, sources.friend)
    t.equal(countNames(text).friend, 0)
    await house.friend.start()
    await until(async () => countNames((await readList(owner, path)).text).friend > 0, comesBackWithin)
    t.ok(countNames((await readList(owner, path)).text).friend > 0)
  })

  t.test('the house is killed, and starts while its friend is down', async t => {
    const { kept } = await keepAll(house, songs)
    const before = await owner.data('/v1/status')
    await switches.friend.set('refuse')
    await home.kill()
    await home.start()
    t.strictSame(await owner.data('/v1/status'), before)
    const { text, missing, took } = await readList(owner, '/v1/search/tracks?keyword=tune&limit=98')
    t.equal(missing, sources.friend)
    t.ok(itemsIn(JSON.parse(text)).some(item => nameOf(item).startsWith(words.subsonic)))
    t.ok(took < longestList)
    await switches.friend.set('pass')
    await until(async () => (await readList(owner, '/v1/search/tracks?keyword=tune&limit=97')).missing === null,
      comesBackWithin)
    t.strictSame(await keptBy(house), kept)
    const { url } = await owner.data(`/v1/track/url?id=${q(songs.at(-1)!.track.id)}`)
    t.equal((await fetchUrl(url)).status, 200)
  })
}

/** The size of a disk for the data of a household, in MiB. */
const disk = 128

/** Fills the disk with the data of the house. Only root can mount a disk. */
export function checkFullDisk (t: Test, house: Home, songs: readonly Found[]): void {
  const { owner, home } = house

  t.test('while the disk is full changes fail, songs play, and stored data stays', async t => {
    const { kept } = await keepAll(house, songs)
    await home.kill()
    const aside = `${home.dataDir} on disk`
    await rename(home.dataDir, aside)
    execFileSync('mkdir', [home.dataDir])
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${disk}m,mode=700`, 'tmpfs', home.dataDir])
    t.teardown(async () => {
      await home.kill()
      execFileSync('umount', [home.dataDir])
    })
    await copyData(aside, home.dataDir)
    await home.start()

    const filler = join(home.dataDir, 'filler')
    await t.rejects(writeFile(filler, Buffer.alloc((disk + 1) * 2 ** 20)), { code: 'ENOSPC' })
    const isRefused = async () => {
      const bookmark = { id: songs[0]!.entry.id, position: 1000, comment: 'x'.repeat(9000) }
      return String((await owner.askRest('createBookmark', bookmark)).body).includes('"status":"failed"')
    }
    await until(isRefused, comesBackWithin)
    t.ok(await isRefused())
    for (const { entry, source, song } of songs) {
      const { body } = await owner.askRest('stream', { id: entry.id, format: 'raw' })
      t.ok(body.equals(await readFile(fileOf(house, source, song.title))), song.title)
    }
    t.strictSame(await keptBy(house), kept)
    await rm(filler)
    await until(async () => !await isRefused(), comesBackWithin)
    t.notOk(await isRefused())
    t.strictSame(await keptBy(house), kept)
  })
}
