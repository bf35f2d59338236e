import fastify from 'fastify'
import t from 'tap'
import sourceOrigin from 'fastify-source-origin'
import sourcePage, { type FilesOf } from 'fastify-source-origin/page'
import { launch } from '../browser.ts'
import { as, command, folder as makeFolder, mp3, startWith, tokenIn } from '../example/helper.ts'
import { visit } from './helper.ts'

const leftOut = ['Left out Broken/01.mp3: no audio', 'Left out Odd.wma: nothing plays it']
/** Told to Ann alone. */
const files: FilesOf = ({ account }) => account !== 'ann'
  ? undefined
  : { folder: '/srv/music', leftOut, pathOf: async id => id === 't5' ? '/srv/music/Noon/05.flac' : undefined }

t.test('who may know it learns where the files are, and nobody else', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(sourceOrigin, {
    resolveContext: ({ authorization }) => authorization === '' ? null : { adapter: {}, account: authorization }
  })
  await app.register(sourcePage, { files })
  const read = async (path: string, authorization: string) =>
    (await app.inject({ url: `/page/${path}`, headers: { authorization } })).json()
  t.strictSame(await read('files', 'ann'), { code: 200, data: { folder: '/srv/music', leftOut } })
  t.strictSame(await read('files?track=t5', 'ann'), { code: 200, data: { path: '/srv/music/Noon/05.flac' } })
  t.strictSame(await read('files?track=t6', 'ann'), { code: 200, data: {} })
  t.strictSame((await read('offers', 'ann')).data, { library: false, recommended: false, files: true, account: 'ann' })
  for (const path of ['files', 'files?track=t5']) t.strictSame(await read(path, 'bob'), { code: 200, data: {} })
  t.strictSame((await read('offers', 'bob')).data, { library: false, recommended: false, account: 'bob' })
  t.match(await read('files', ''), { code: 401 })
})

t.test('the example tells its owner where files are, and what it left out', async t => {
  const DATA_DIR = makeFolder(t)
  const music = { 'All/01.mp3': mp3({ title: 'One' }), 'broken.flac': 'fLaC' }
  const source = await startWith(t, music, { PAGE: 'true', DATA_DIR })
  const [{ id }] = (await source.data('/v1/track/new')) as [{ id: string }]
  const { folder, leftOut } = await source.data('/page/files')
  t.match(leftOut, [/broken\.flac/])
  t.equal((await source.data(`/page/files?track=${id}`)).path, `${folder}/All/01.mp3`)
  t.strictSame(await source.data('/page/files?track=gone'), {})
  const kim = as(source, tokenIn(await command(DATA_DIR, ['add', 'kim'])))
  t.strictSame(await kim.data('/page/files'), {})
})

const browser = await launch(t)

t.test('where there is no music, who may know it sees which folder has none, what was left out, and a button', t => {
  const nothing = { items: [], offset: 0, limit: 20, hasMore: false }
  let scans = 0
  return visit(t, browser, {
    adapter: () => ({
      getNewTracks: () => [],
      getDailyTracks: () => [],
      getRecommendedPlaylist: () => nothing,
      getPlaylists: () => nothing,
      getToplist: () => [],
      getTopArtists: () => [],
      startScan: () => ({ scanning: false, count: scans++ })
    }),
    context: { account: 'ann' },
    page: { files }
  }, async ({ page, sees }) => {
    await sees('No music was found in /srv/music')
    for (const reason of leftOut) await sees(reason)
    await page.getByRole('button', { name: 'Scan' }).click()
    await sees(/Scan finished/)
    t.equal(scans, 1)
  })
})

t.test('about a track there is its path', t => visit(t, browser, {
  context: { account: 'ann' }, page: { files }
}, async ({ page, open, row, sees }) => {
  await open('/daily')
  await row('Noon Song 5').getByRole('button', { name: 'More for' }).click()
  await page.getByRole('button', { name: 'About this track' }).click()
  await sees('/srv/music/Noon/05.flac')
}))
