import t from 'tap'
import { createLibrary } from 'fastify-source-origin/library'
import subsonic from 'fastify-source-origin/subsonic'
import { unavailable } from '../../lib/contract/ordered-library.ts'
import { launch } from '../browser.ts'
import { playedTo, playerOf, token, visit } from './helper.ts'

const browser = await launch(t)

t.test('rows of a source that is not available say so, until it is back', t => {
  let isAway = true
  const library = Object.assign(createLibrary({ artists: [], albums: [], tracks: [] }), {
    [unavailable]: () => isAway ? ['nav'] : []
  })
  return visit(t, browser, {
    library,
    adapter: base => ({
      getNewTracks: async () =>
        (await base.getNewTracks()).map((track, at) => at === 1 ? { ...track, id: 'nav:1' } : track)
    })
  }, async ({ page, open, row }) => {
    await open('/new')
    await row('Currently unavailable').waitFor()
    t.equal(await page.locator('.row.gone').count(), 1)
    isAway = false
    await page.reload()
    await page.locator('.row').first().waitFor()
    await row('Currently unavailable').waitFor({ state: 'detached' })
  })
})

t.test('what an app does to favourites and playlists while a tab is open stays, and so does the tab\'s', t =>
  visit(t, browser, {
    context: { account: 'ann' },
    beside: async app => app.register(subsonic, { resolveLogin: ({ verify }) => verify(token) ? token : null })
  }, async ({ page, served, open, row, sees }) => {
    const rest = async (call: string) => {
      const login = new URLSearchParams({ u: 'ann', p: token, v: '1.16.1', c: 'app', f: 'json' })
      const { 'subsonic-response': answer } = (await served.app.inject(`/rest/${call}&${login}`)).json()
      t.equal(answer.status, 'ok', call)
      return answer
    }
    const { id } = await served.adapter.createPlaylist('Mine')
    await served.adapter.addTrackToPlaylist(id, 't5')
    await open(`/playlist/${id}`)
    await row('Noon Song 5').locator('.title').click()
    await playedTo(page, 0.1)
    await rest(`updatePlaylist?playlistId=pl-${id}&name=Ours`)
    await rest('star?id=tr-t6')

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Description').fill('For the road')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ours' }).waitFor()
    await sees('For the road')
    await page.getByRole('button', { name: 'Favourite: Noon Song 5' }).first().click()
    await page.getByRole('button', { name: 'Favourite: Noon Song 5', pressed: true }).first().waitFor()
    await page.reload()
    await playerOf(page).titled('Noon Song 5').waitFor()
    const { starred2: { song } } = await rest('getStarred2?')
    t.strictSame(song.map((one: { id: string }) => one.id).sort(), ['tr-t1', 'tr-t5', 'tr-t6'])
  }))
