import fastify from 'fastify'
import t from 'tap'
import sourceOrigin, {
  BadRequestError, extras, NotFoundError, type PlaylistSharing, type SourceAdapter
} from 'fastify-source-origin'
import { sourcePage } from 'fastify-source-origin/page'
import { launch } from '../browser.ts'
import { until } from '../example/helper.ts'
import { visit } from './helper.ts'

const browser = await launch(t)

const theirs = { id: 'theirs', name: 'Of Bob', creator: { id: 'bob', name: 'Bob', avatarUrl: '' } }

t.test('a source that shares nothing, or does not say with whom, is asked for nothing more', async t => {
  const ask = async (adapter: SourceAdapter, url: string, payload?: object) => {
    const app = fastify()
    t.teardown(() => app.close())
    await app.register(sourceOrigin, { resolveContext: () => ({ adapter, stateless: false }) })
    await app.register(sourcePage)
    const method = payload === undefined ? 'GET' : 'POST'
    const { code, data } = (await app.inject({ url, method, ...payload && { payload } })).json()
    return code === 200 ? data : code
  }
  const sharePlaylist = () => ({ success: true })
  t.same(await ask({}, '/page/sharing?id=a'), {})
  t.equal(await ask({}, '/page/sharing', { id: 'a', everyone: 'no' }), 501)
  t.same(await ask({ sharePlaylist }, '/page/sharing?id=a'), {})
  t.same(await ask({ sharePlaylist }, '/page/sharing'), { editable: [] })
  t.same(await ask({ sharePlaylist }, '/page/sharing', { id: 'a' }), { success: true })
  t.equal(await ask({ sharePlaylist: () => ({ success: false }) }, '/page/sharing', { id: 'a' }), 403)
  t.equal(await ask({ sharePlaylist () { throw new NotFoundError() } }, '/page/sharing', { id: 'a' }), 404)
})

t.test('a playlist is shared from its page, and one of another is changed and not deleted', t => {
  const given: [id: string, sharing: PlaylistSharing][] = []
  return visit(t, browser, {
    adapter: base => ({
      getUserPlaylist: async () => [
        ...await base.getUserPlaylist(), { ...theirs, [extras]: { readOnly: false } }
      ],
      getPlaylistDetail: async (id, ...more) =>
        id === 'theirs' ? { ...theirs, tracks: [] } : base.getPlaylistDetail(id, ...more),
      getPlaylistSharing: () => ({ everyone: 'no', people: { Bob: 'no', Zoë: 'edit' } }),
      sharePlaylist (id, sharing) {
        given.push([id, sharing])
        return { success: true }
      }
    })
  }, async ({ page, go, sees }) => {
    await go('/library/playlists')
    await page.getByRole('button', { name: 'New playlist' }).click()
    await page.getByLabel('Name').fill('Ours')
    await page.keyboard.press('Enter')
    await page.locator('.sidebar').getByRole('link', { name: 'Ours' }).click()
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Everyone').selectOption('May play it')
    await dialog.getByLabel('Bob').selectOption('May change it')
    t.equal(await dialog.getByLabel('Zoë').inputValue(), 'edit')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await sees('Saved')
    t.match(given, [[/./, { everyone: 'hear', people: { Bob: 'edit', Zoë: 'edit' } }]])
    await page.locator('.sidebar').getByRole('link', { name: 'Of Bob' }).click()
    await page.getByRole('heading', { name: 'Of Bob' }).waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    await until(async () => await page.getByRole('button', { name: 'Delete', exact: true }).count() === 0)
    t.equal(await page.getByRole('button', { name: 'Share', exact: true }).count(), 0)
  })
})

t.test('a service is connected by a token of one\'s own, and ended', t => {
  let user: string | undefined
  return visit(t, browser, {
    page: {
      services: {
        list: () => [
          { service: 'lb', title: 'ListenBrainz', user, takesToken: true, ...user && { problem: 'away' } },
          { service: 'other', title: 'Other', takesToken: false }
        ],
        connect (_context, service, token) {
          if (token === 'wrong') throw new BadRequestError('That is no token')
          user = `${service} of ${token}`
        },
        disconnect () { user = undefined }
      }
    }
  }, async ({ page, go, sees }) => {
    await go('/sources')
    for (const token of ['wrong', 'mine']) {
      await page.getByLabel('Token of ListenBrainz').fill(token)
      await page.getByRole('button', { name: 'Connect' }).click()
      await sees(token === 'wrong' ? 'That is no token' : 'lb of mine')
    }
    await sees('away')
    await page.getByRole('button', { name: 'Disconnect ListenBrainz' }).click()
    await page.getByLabel('Token of ListenBrainz').waitFor()
    t.equal(await page.getByText('Other', { exact: true }).count(), 0)
  })
})

t.test('who operates several sources sees which are available, since when not, and why', t => visit(t, browser, {
  page: {
    sources: () => [
      { id: 'a', name: 'Navidrome', available: true, since: 1_700_000_000_000 },
      { id: 'b', name: 'Ann', available: false, since: 1_700_000_000_000, reason: 'It rejects SOURCE_TOKEN' }
    ]
  }
}, async ({ go, sees }) => {
  await go('/sources')
  await sees('Music sources')
  await sees(/Navidrome.*Available/)
  await sees(/Ann.*Not available since .*2023.*It rejects SOURCE_TOKEN/)
}))
