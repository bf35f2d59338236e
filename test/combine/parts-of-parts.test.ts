import t from 'tap'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createSourceClient } from 'fastify-source-origin/client'
import { combineSources } from 'fastify-source-origin/combine'
import { UpstreamError } from 'fastify-source-origin'
import { listen } from '../client/helper.ts'
import { authorized, build, token } from '../helper.ts'
import { get, serve } from '../subsonic-server/helper.ts'
import { pageOf, sourceOf, trackOf } from './helper.ts'
import { wholeList } from '../whole-list.ts'
import { createLibrary } from 'fastify-source-origin/library'

const away = () => { throw new UpstreamError('The server is away') }
const one = [trackOf('1')]
const good = {
  getNewTracks: () => one,
  userFavoriteTracks: () => one,
  searchTracks: (_keyword: string, offset: number, limit: number) => pageOf(one, offset, limit),
  searchSuggest: () => ({ songs: one, artists: [], albums: [] })
}
const broken = { getNewTracks: away, userFavoriteTracks: away, searchTracks: away, searchSuggest: away }
const inner = () => combineSources([sourceOf('folder', good), sourceOf('nav', broken)])
const paths = ['track/new', 'user/favorite/tracks', 'search/tracks?keyword=x', 'search/suggest?keyword=x']

/** A combination of such an adapter alone, or with another source. */
const outer = (adapter: object, isAlone: boolean) => combineSources([
  sourceOf('friend', adapter, { account: 'a' }), ...isAlone ? [] : [sourceOf('home', good, { account: 'a' })]
])

t.test('what a combination in a combination lacks is told, and not kept', async t => {
  for (const isAlone of [true, false]) {
    const app = await build(t, { resolveContext: () => outer(inner().adapter, isAlone), cache: createSourceCache() })
    for (const path of [...paths, ...paths]) {
      const { headers } = await app.inject({ url: `/v1/${path}`, headers: authorized })
      t.match(headers, { 'source-partial': 'friend:nav', 'cache-control': 'no-store' }, path)
    }
  }
})

t.test('what an origin elsewhere lacks is told, and not kept', async t => {
  const friend = await build(t, { resolveContext: inner })
  const client = createSourceClient({ baseUrl: await listen(t, friend), authorization: token })
  const wrong = [() => outer(client, true), () => outer(client, false)]
  for (const resolveContext of wrong) {
    const app = await build(t, { resolveContext, cache: createSourceCache() })
    for (const path of [...paths, ...paths]) {
      const { headers } = await app.inject({ url: `/v1/${path}`, headers: authorized })
      t.match(headers, { 'source-partial': 'friend:nav', 'cache-control': 'no-store' }, path)
    }
  }
  const alone = await build(t, { adapter: client })
  const { headers } = await alone.inject({ url: '/v1/track/new', headers: authorized })
  t.equal(headers['source-partial'], 'nav', 'also without a combination')
  const rest = await serve(t, { adapter: client })
  t.equal((await get(rest, 'getStarred2')).headers['source-partial'], 'nav')
})

t.test('a library is not made of a part', async t => {
  const library = createLibrary({ artists: [], albums: [], tracks: one })
  const { adapter } = combineSources([sourceOf('home', { library }), sourceOf('friend', inner().adapter)])
  await t.rejects(wholeList(adapter.library!.ids({ kind: 'tracks' }, { signal: new AbortController().signal })), {
    message: 'FRIEND is not responding', cause: { message: 'nav is not responding' }
  })
})
