import fastify from 'fastify'
import { createSourceCache } from 'fastify-source-origin/cache'
import sourceOrigin, { type SourceContext } from 'fastify-source-origin'
import subsonic from 'fastify-source-origin/subsonic'
import t, { type Test } from 'tap'
import { RestAccounts } from '../../lib/subsonic-server/account/accounts.ts'
import { validateSubsonicOptions } from '../../lib/subsonic-server/subsonic-options.ts'
import { ask, roomy } from './helper.ts'
import { albumOf, artistOf, trackOf, wholeLibrary } from './library.ts'

/** A source whose accounts, named by their passwords, are shown one library of three albums. */
async function build (t: Test) {
  const reads: (string | undefined)[] = []
  const cache = createSourceCache()
  const app = fastify(roomy)
  t.teardown(() => app.close())
  const library = ({ account }: SourceContext) => {
    reads.push(account)
    return {
      artists: [0, 1, 2].map(artistOf),
      albums: [0, 1, 2].map(index => ({ ...albumOf(index), favorite: account === 'ada' })),
      tracks: [0, 1, 2].map(index => ({ ...trackOf(index, 0), favorite: account === 'ada' }))
    }
  }
  await app.register(sourceOrigin, {
    cache,
    resolveContext: ({ authorization }) => ({
      account: authorization,
      stateless: false,
      adapter: {
        userAlbums: () => authorization === 'eve' ? [albumOf(1)] : [],
        getAlbumDetail: (id: string) => ({ ...albumOf(Number(id.slice(1))), tracks: [trackOf(0, 0)] })
      }
    })
  })
  await app.register(subsonic, { library, sharedLibrary: true, resolveLogin: ({ secret }) => secret })
  return { app, cache, reads, as: (p: string) => (method: string, query = {}) => ask(app, method, { ...query, p }) }
}

const albumsFor = async (as: (method: string, query: object) => Promise<any>) =>
  (await as('getAlbumList2', { type: 'alphabeticalByName' })).albumList2.album

t.test('a library that accounts share is read once for all of them', async t => {
  const { as, reads, cache } = await build(t)
  for (const account of ['ada', 'eve', 'ada']) t.equal((await albumsFor(as(account))).length, 3)
  t.same(reads, ['ada'])
  t.equal((await as('eve')('getScanStatus')).scanStatus.count, 3)
  await cache.forget({})
  for (const account of ['eve', 'ada']) await albumsFor(as(account))
  t.same(reads, ['ada', 'eve'])
})

t.test('each account has favourites of its own in a shared library', async t => {
  const { as } = await build(t)
  const starredFor = async (account: string) =>
    (await albumsFor(as(account))).filter(({ starred }: any) => starred !== undefined).map(({ id }: any) => id)
  t.same(await starredFor('ada'), [])
  t.same(await starredFor('eve'), ['al-b1'])
  const songs = (await as('eve')('search3', { query: '' })).searchResult3.song
  t.same(songs.map(({ starred }: any) => starred), [undefined, undefined, undefined])
})

t.test('what a shared library tells of its items serves every account', async t => {
  const { as } = await build(t)
  await albumsFor(as('ada'))
  const [album] = await albumsFor(as('eve'))
  t.match(album, { id: 'al-b0', artistId: 'ar-a0' })
})

const context = (account: string, variant?: string) =>
  ({ adapter: {}, stateless: false, capabilities: [], account, variant })

t.test('accounts of one variant share a library, and it counts once', async t => {
  const accounts = new RestAccounts(validateSubsonicOptions({ library: wholeLibrary(1), sharedLibrary: true }))
  const [ada, eve] = ['ada', 'eve'].map(name => accounts.of(context(name), ''))
  t.ok(ada!.library === eve!.library)
  t.not(accounts.of(context('ada', 'other'), '').library, ada!.library)
  Object.defineProperty(ada!.library, 'bytes', { value: 2 ** 27 })
  t.ok(ada!.bytes + eve!.bytes < 2 ** 20)
})

t.test('a shared library that there is no room for goes with its accounts', async t => {
  const accounts = new RestAccounts(validateSubsonicOptions({ library: wholeLibrary(1), sharedLibrary: true }))
  const use = (name: string, variant: string) => accounts.of(context(name, variant), '')
  const [first, second] = [use('ada', '1'), use('ada', '2')]
  for (const account of [first, second]) {
    Object.defineProperty(account.library, 'bytes', { value: 2 ** 27 + 1 })
    accounts.recount(account)
  }
  t.ok(use('ada', '2') === second)
  const again = use('ada', '1')
  t.ok(again !== first && again.library !== first.library)
})
