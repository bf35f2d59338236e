import fastify from 'fastify'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { serveFolder } from '../../example/serve-folder.ts'
import { options } from '../../example/server/server-options.ts'
import { readSettings } from '../../example/start/settings.ts'
import { mp3, put, until } from '../example/helper.ts'
import { token } from '../helper.ts'
import { requestEnd } from '../page/request-end.ts'
import { locate } from '../services.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 10

const edits = 50
const songs = 30
/** Tracks that a playlist begins with. */
const first = 12
const longest = 60_000
/** Undo stays for as long as a busy machine takes. */
const lastingNotices = `
  const { setTimeout } = globalThis
  globalThis.setTimeout = (run, ms, ...more) => ms === 7000 ? 0 : setTimeout(run, ms, ...more)
`

/** What an app and the tabs do to one playlist, and what it should have then. */
interface World {
  readonly random: Random
  readonly tabs: readonly Page[]
  readonly rest: (method: string, query: Record<string, string | readonly string[]>) => Promise<any>
  readonly list: string
  /** Ids of all tracks by their titles. */
  readonly ids: ReadonlyMap<string, string>
  /** The ids that it should have, a track as often as it was added. */
  readonly has: string[]
}

const take = (has: string[], id: string) => has.splice(has.indexOf(id), 1)

/** Two tabs and a Subsonic app change one playlist, each knowing what it saw last: nothing is lost, or comes back. */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'campaign-page-'))
  for (let at = 0; at < songs; at++) {
    put(root, `music/${at}.mp3`, mp3({ title: `Song ${String(at).padStart(2, '0')}`, artist: 'Ann', album: 'All' }))
  }
  const app = fastify(options)
  await app.register(async instance => serveFolder(instance, readSettings({
    MUSIC_DIR: join(root, 'music'),
    DATA_DIR: join(root, 'data'),
    SOURCE_API_TOKEN: token,
    NODE_ENV: 'production',
    PAGE: 'true',
    TRANSCODING: 'false'
  })))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const rest: World['rest'] = async (method, query) => {
    const parameters = new URLSearchParams({ u: 'owner', p: token, v: '1.16.1', c: 'campaign', f: 'json' })
    for (const [name, values] of Object.entries(query)) {
      for (const value of [values].flat()) parameters.append(name, value)
    }
    const { 'subsonic-response': answer } = await (await fetch(`${origin}/rest/${method}?${parameters}`)).json() as any
    assert.equal(answer.status, 'ok', `${method}: ${answer.error?.message}`)
    return answer
  }
  const search = async () => (await rest('search3', { query: '', songCount: '500' })).searchResult3.song ?? []
  await until(async () => (await search()).length === songs)
  const ids = new Map((await search()).map(({ title, id }: { title: string, id: string }) => [title, id]))
  const browser = await chromium.launch({ executablePath: locate('Chromium'), chromiumSandbox: false })
  try {
    for (const seed of rounds) {
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 2400 } })
      const random = new Random(seed)
      const begin = shuffled(random, [...ids.values()] as string[]).slice(0, first)
      const { playlist } = await rest('createPlaylist', { name: `List ${seed}`, songId: begin })
      const open = async () => {
        const page = await context.newPage()
        page.setDefaultTimeout(longest)
        await page.addInitScript(lastingNotices)
        await page.goto(`${origin}/#token=${encodeURIComponent(token)}`)
        await page.locator('.sidebar').waitFor()
        await page.goto(`${origin}/#/playlist/${playlist.id.slice(3)}`)
        await page.locator('.handle').first().waitFor()
        return page
      }
      const tabs = [await open(), await open()]
      const world = { random, tabs, rest, list: playlist.id, ids: ids as World['ids'], has: [...begin] }
      try {
        for (let edit = 0; edit < edits; edit++) await step(world, edit)
      } catch (error) {
        find(String((error as Error).stack))
      }
      await context.close()
    }
  } finally {
    await browser.close()
    await app.close()
    rmSync(root, { recursive: true, force: true })
  }
}

function shuffled<T> (random: Random, list: readonly T[]): T[] {
  return list.map(item => ({ item, key: random.next() })).sort((a, b) => a.key - b.key).map(({ item }) => item)
}

const stored = async ({ rest, list }: World): Promise<string[]> =>
  ((await rest('getPlaylist', { id: list })).playlist.entry ?? []).map(({ id }: { id: string }) => id)

/** Ids of what a tab shows, which may be older than what is stored. */
const shown = async ({ ids }: World, tab: Page): Promise<string[]> =>
  (await tab.evaluate<[number, string][]>(`[...document.querySelectorAll('main .row')].map(row =>
    [Number(row.dataset.index), row.querySelector('.title').textContent])`))
    .sort(([a], [b]) => a - b).map(([, title]) => ids.get(title)!)

async function step (world: World, edit: number): Promise<void> {
  const { random, tabs, has } = world
  const [tab, other] = random.chance(0.5) ? [tabs[0]!, tabs[1]!] : [tabs[1]!, tabs[0]!]
  const what = random.below(6)
  const told = `edit ${edit}, kind ${what}`
  if (what === 0) await addByApp(world)
  else if (what === 1) await removeByApp(world)
  else if (what === 2) await tab.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
  else if (what === 3) {
    const order = await move(world, tab)
    const now = await stored(world)
    // Two copies of a track have the same id.
    const isOnce = (list: readonly string[], id: string) => list.indexOf(id) === list.lastIndexOf(id)
    const both = (list: readonly string[], others: readonly string[]) =>
      list.filter(id => others.includes(id) && isOnce(list, id) && isOnce(others, id))
    assert.deepEqual(both(now, order), both(order, now), `${told}: another order than the one that was made`)
  } else if (what === 4) {
    const undo = await remove(world, tab)
    // What others do in between stays.
    if (random.chance(0.7)) await addByApp(world)
    if (random.chance(0.3)) await move(world, other)
    if (random.chance(0.3)) await removeByApp(world)
    if (random.chance(0.6)) await undo()
  } else await Promise.all([move(world, tab), addByApp(world), move(world, other)])
  assert.deepEqual((await stored(world)).sort(), [...has].sort(), `${told}: tracks are lost, or are there again`)
}

async function addByApp ({ random, rest, list, ids, has }: World): Promise<void> {
  if (has.length > songs) return
  const id = random.pick([...ids.values()])
  has.push(id)
  await rest('updatePlaylist', { playlistId: list, songIdToAdd: id })
}

async function removeByApp (world: World): Promise<void> {
  const { random, rest, list, has } = world
  const now = await stored(world)
  if (now.length < 4) return
  await rest('updatePlaylist', { playlistId: list, songIndexToRemove: String(random.below(now.length)) })
  const left = await stored(world)
  // Whatever has that place when it is asked: an order of a tab may be stored after the list was read.
  for (const id of left) take(now, id)
  assert.equal(now.length, 1, 'an app removes one track')
  take(has, now[0]!)
}

/** Moves a row by one place with a key. @returns the order that the tab shows then */
async function move (world: World, tab: Page): Promise<string[]> {
  const { random } = world
  if (await tab.locator('main .row').count() < 2) return []
  const place = random.next()
  const key = random.chance(0.5) ? 'ArrowDown' : 'ArrowUp'
  const press = async () => {
    // In one step, since the tab may read a shorter list at any time.
    await tab.evaluate(`{
      const rows = document.querySelectorAll('main .row')
      const at = Math.floor(${place} * rows.length)
      const key = at === 0 ? 'ArrowDown' : at === rows.length - 1 ? 'ArrowUp' : '${key}'
      const title = document.querySelector('main .row[data-index="' + at + '"] .title')
      title.focus()
      title.dispatchEvent(new KeyboardEvent('keydown', { key, altKey: true, bubbles: true, cancelable: true }))
    }`)
    return await shown(world, tab)
  }
  const [, order] = await Promise.all([saving(tab), press()])
  return order
}

const nextRead = (tab: Page) => requestEnd(tab, /\/v1\/playlist\/detail/)

/** Settles when a change is stored, and the list was read; from before the change on, since both may be quick. */
async function saving (tab: Page): Promise<void> {
  await Promise.all([requestEnd(tab, /\/page\/playlist$/), nextRead(tab)])
}

/** Removes a track by its menu. @returns undoes that */
async function remove (world: World, tab: Page): Promise<() => Promise<void>> {
  const { random, ids, has } = world
  for (let tries = 0; ; tries++) {
    const rows = await tab.locator('main .row .title').allTextContents()
    if (rows.length < 4) return async () => {}
    try {
      const button = tab.getByRole('button', { name: `More for ${random.pick(rows)}` })
      await button.nth(random.below(await button.count())).click({ timeout: 5000 })
      break
    } catch (error) {
      // The tab may have read the list again, without the track that an app has removed.
      if (tries === 3) throw error
    }
  }
  // The list may render again before the click. The title of the menu is the title of its track.
  const title = (await tab.locator('dialog h2').textContent())!
  const id = ids.get(title)!
  const copies = async () => (await stored(world)).filter(one => one === id).length
  const before = await copies()
  const read = nextRead(tab)
  read.catch(() => {})
  const [changed] = await Promise.all([
    tab.waitForResponse(answer => answer.url().endsWith('/page/playlist')),
    tab.getByRole('button', { name: 'Remove from this playlist' }).click()
  ])
  const code = changed.status()
  // Where others have removed it already, nothing is read again.
  if (code === 200) await read
  // Others may have removed the same copy before.
  const left = await copies()
  assert.ok(left === before - 1 || left === before, `${before} copies become ${left}`)
  if (left < before) take(has, id)
  const notice = tab.locator('.notice', { hasText: title }).last()
  return async () => {
    // Others may have removed it already.
    if (code !== 200) return
    await Promise.all([saving(tab), notice.getByRole('button', { name: 'Undo' }).click()])
    has.push(id)
  }
}
