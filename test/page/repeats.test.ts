import t from 'tap'
import type { WholeAdapter } from '../reference-source.ts'
import { launch } from '../browser.ts'
import { addSource, elsewhere, visit, type Visit } from './helper.ts'

const browser = await launch(t)

const storedIn = async (adapter: WholeAdapter, id: string) =>
  (await adapter.getPlaylistDetail(id, -1)).tracks.map(track => track.id).join()

/** Waits until the list shows the tracks of these numbers. */
const shows = ({ page }: Visit, ...numbers: number[]) => page.waitForFunction(wanted => {
  const titles = [...document.querySelectorAll('main .row .title')]
  return titles.map(title => /\d+$/.exec(title.textContent)![0]).join() === wanted
}, numbers.join())

async function makeList (adapter: WholeAdapter, ...tracks: string[]): Promise<string> {
  const { id } = await adapter.createPlaylist('Mine')
  for (const track of tracks) await adapter.addTrackToPlaylist(id, track)
  return id
}

const removeRow = async ({ page }: Visit, at: number) => {
  await page.locator(`main .row[data-index="${at}"]`).getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('button', { name: 'Remove from this playlist' }).click()
}

t.test('tracks that a playlist contains are added again only if the listener asks for it', t =>
  visit(t, browser, {}, async visited => {
    const { page, go, served, sees } = visited
    const [first = '', ...others] = (await served.adapter.getAlbumDetail('b2', -1)).tracks.map(({ id }) => id)
    const id = await makeList(served.adapter, first)
    await go('/album/b2')
    const partly = /^Added 3 of 4 tracks to Mine/
    const add = async (told: string | RegExp = 'Already in Mine') => {
      await page.locator('.hero').getByRole('button', { name: /^More for/ }).click()
      await page.getByRole('button', { name: 'Add to playlist' }).click()
      await page.locator('.menu').getByRole('button', { name: 'Mine' }).click()
      await sees(told)
    }
    const again = async () => {
      const added = page.waitForResponse('**/page/playlist')
      await page.getByRole('button', { name: 'Add again' }).click()
      await added
      await sees('Added to Mine')
    }
    await add(partly)
    t.equal(await storedIn(served.adapter, id), [first, ...others].join(), 'new ones are added')
    await again()
    t.equal(await storedIn(served.adapter, id), [first, ...others, first].join())
    await add()
    t.equal(await storedIn(served.adapter, id), [first, ...others, first].join())
    await again()
    t.equal(await storedIn(served.adapter, id), [first, ...others, first, first, ...others].join())
  }))

t.test('one copy of a track is moved, removed and restored by its position, and others may edit meanwhile', t =>
  visit(t, browser, {}, async visited => {
    const { page, open, served } = visited
    const id = await makeList(served.adapter, 't1', 't5', 't1', 't9', 't1')
    await open(`/playlist/${id}`)
    await shows(visited, 1, 5, 1, 9, 1)
    await removeRow(visited, 2)
    await shows(visited, 1, 5, 9, 1)
    t.equal(await storedIn(served.adapter, id), 't1,t5,t9,t1')
    await served.adapter.addTrackToPlaylist(id, 't1')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await shows(visited, 1, 5, 1, 9, 1, 1)
    t.equal(await storedIn(served.adapter, id), 't1,t5,t1,t9,t1,t1')
    await page.locator('main .row[data-index="2"] .title').focus()
    const saved = page.waitForResponse('**/page/playlist')
    await page.keyboard.press('Alt+ArrowUp')
    await shows(visited, 1, 1, 5, 9, 1, 1)
    await saved
    t.equal(await storedIn(served.adapter, id), 't1,t1,t5,t9,t1,t1')
    for (const at of [1, 5]) {
      await page.locator(`main .row[data-index="${at}"] .row-time`).click({ modifiers: ['Control'] })
    }
    await page.locator('.selection').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Remove from this playlist' }).click()
    await shows(visited, 1, 5, 9, 1)
    t.equal(await storedIn(served.adapter, id), 't1,t5,t9,t1')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.notice', { hasText: 'restored' }).waitFor()
    const own = (await served.adapter.getUserPlaylist()).find(({ name }) => name === 'Mine')!
    t.equal(await storedIn(served.adapter, own.id), 't1,t5,t9,t1')
  }))

t.test('at a source elsewhere a removed copy and a failed addition leave the other copies in the playlist', async t => {
  let failing = ''
  const other = await elsewhere(t, {
    adapter: base => ({
      addTrackToPlaylist: async (id, track) => {
        if (track === failing) return { success: false }
        return base.addTrackToPlaylist(id, track)
      }
    })
  })
  const [first = ''] = (await other.adapter.getDailyTracks()).map(track => track.id)
  const id = await makeList(other.adapter, first, 't5', first, first)
  return visit(t, browser, {}, async visited => {
    const { page, open, sees } = visited
    await addSource(visited, other)
    await open(`/playlist/${id}`)
    await page.locator('main .row[data-index="3"]').waitFor()
    await removeRow(visited, 2)
    await page.locator('main .row[data-index="3"]').waitFor({ state: 'detached' })
    t.equal(await storedIn(other.adapter, id), `t5,${first},${first}`)
    failing = first
    for (const at of [0, 1]) {
      await page.locator(`main .row[data-index="${at}"] .row-time`).click({ modifiers: ['Control'] })
    }
    await page.locator('.selection').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    await page.locator('.menu').getByRole('button', { name: 'Mine' }).click()
    await page.getByRole('button', { name: 'Add again' }).click()
    await sees(/^Nothing was added to Mine\. /)
    t.equal(await storedIn(other.adapter, id), `${first},${first},t5`)
  })
})
