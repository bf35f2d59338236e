import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { tokenIn } from '../../example/helper.ts'
import { clientOf, during, goBack, store, storedIn, versionBefore } from '../../example/version-before.ts'
import { nameOf, type Found } from './find.ts'
import { copyData, dataOf, fileOf, startServer, type House } from './house.ts'
import { keptBy } from './kept.ts'
import { fetchUrl } from './listener.ts'
import { comesBackWithin, until } from './until.ts'

const run = promisify(execFile)
const q = encodeURIComponent

/** The settings of a home that the version before has. */
const settingsBefore = (root: string, dataDir: string) =>
  ({ MUSIC_DIR: join(root, 'home'), DATA_DIR: dataDir, SOURCE_API_TOKEN: 'the token of the owner of home' })

/** Runs the version before in a home, which this version upgrades later. @returns an account of that version */
export async function livedBefore (t: Test, root: string, name: 'house') {
  const app = versionBefore(t)
  const settings = settingsBefore(root, dataOf(root, name))
  return during(t, settings, app, async ({ origin }) => {
    const { stdout } = await run(process.execPath, [join(dirname(app), 'account.js'), 'add', 'elder'], {
      env: { ...process.env, NODE_OPTIONS: '', ...settings }
    })
    const token = tokenIn(stdout)
    return { app, token, stored: await store(clientOf(origin, token)) }
  })
}

/** Repeats a request until `end` is called. It ignores that a server does not listen, or that it is closing. */
function repeat (request: () => Promise<unknown>) {
  let answers = 0
  const failures: string[] = []
  const over = new AbortController()
  const ended = (async () => {
    while (!over.signal.aborted) {
      try {
        await request()
        answers++
      } catch (error) {
        const { message } = error as Error
        if (!/^fetch failed$|\b503\b/.test(message)) failures.push(message)
      }
      await setTimeout(20)
    }
  })()
  return {
    answers: () => answers,
    /** @returns the failures that a restart does not explain */
    async end (): Promise<string[]> {
      over.abort()
      await ended
      return failures
    }
  }
}

/** The bytes that a player reads at a time. */
const part = 32_768

/** Plays a song again and again, part after part. */
async function player (house: House, { source, song, track }: Found) {
  const file = await readFile(fileOf(house, source, song.title))
  const { url } = await house.owner.data(`/v1/track/url?id=${q(track.id)}`)
  let at = 0
  return repeat(async () => {
    const end = Math.min(at + part, file.length)
    const { status, body } = await fetchUrl(url, { range: `bytes=${at}-${end - 1}` })
    if (status !== 206 || !body.equals(file.subarray(at, end))) throw new Error(`${song.title}: ${status} at ${at}`)
    at = end % file.length
  })
}

/** Restarts the house as an update does. */
export function checkRestart (t: Test, house: House, songs: readonly Found[]): void {
  const { adult, home, owner, teen } = house

  t.test('a restart while people play, browse and change things loses no acknowledged change', async t => {
    const made: string[] = []
    const make = async () => {
      const name = `Hearth restart ${made.length}`
      await adult.data('/v1/playlist/create', { name })
      made.push(name)
    }
    const all = [
      ...await Promise.all(songs.map(found => player(house, found))),
      repeat(() => owner.data('/v1/search/tracks?keyword=tune')),
      repeat(() => teen.rest('getAlbumList2', { type: 'newest' })),
      repeat(make)
    ]
    /** Waits until each has some more answers. */
    const go = async () => {
      const before = all.map(({ answers }) => answers())
      const goOn = () => all.every(({ answers }, at) => answers() > before[at]! + 3)
      await until(goOn, comesBackWithin)
      t.ok(goOn())
    }
    await go()
    t.equal(await home.stop(), 0)
    await home.start()
    await go()
    t.strictSame((await Promise.all(all.map(({ end }) => end()))).flat(), [])
    const lists = (await adult.data('/v1/user/playlist/list')).filter((list: any) => made.includes(nameOf(list)))
    t.strictSame([...new Set(lists.map(nameOf))].sort(), made.sort())
    for (const { id } of lists) await adult.data('/v1/playlist/delete', { id })
  })
}

/** Goes back to the version before, on a copy of the data of the house, and forward again. */
export function checkReturn (
  t: Test, house: House, { app, token, stored }: Awaited<ReturnType<typeof livedBefore>>
): void {
  const { env, home, root } = house

  t.test('the version before starts on a copy of the data, and this version on that, with everything', async t => {
    const kept = await keptBy(house)
    const exported = await home.account(['export', 'owner'])
    const copy = `${home.dataDir} copy`
    t.equal(await home.stop(), 0)
    await copyData(home.dataDir, copy)
    await home.start()

    const settings = settingsBefore(root, copy)
    goBack(copy)
    await during(t, settings, app, async ({ origin }) => {
      t.strictSame(await storedIn(clientOf(origin, token)), stored)
    })
    const again = await startServer(t, 'home', root, { ...env, DATA_DIR: copy })
    t.strictSame(await storedIn(clientOf(again.url, token)), stored)
    await again.account(['import', 'owner'], exported)
    const { playlist, favourites } = kept
    t.match(await keptBy(again), { playlist, favourites })
    t.equal(await again.stop(), 0)
    t.strictSame(await keptBy(house), kept)
  })
}
