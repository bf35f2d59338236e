import t, { type Test } from 'tap'
import { operations } from 'fastify-source-origin'
import { createSourceClient } from 'fastify-source-origin/client'
import { callMethod, serve, thrownBy } from './helper.ts'

/** A client of an older origin with these capabilities, which answers 404 to what it does not have. */
async function clientOf (t: Test, capabilities: string[], paths: Record<string, unknown> = {}) {
  const status = { type: 'wow', version: '0.2.0', stateless: false, capabilities }
  const answers: Record<string, unknown> = { '/v1/status': status, ...paths }
  const baseUrl = await serve(t, (request, response) => {
    const data = answers[request.url!.split('?')[0]!]
    response.statusCode = data === undefined ? 404 : 200
    response.end(JSON.stringify(data === undefined
      ? { code: 404, message: 'Not here', data: null }
      : {
          code: 200, data
        }))
  })
  return createSourceClient({ baseUrl })
}

const searches = operations.filter(({ tag }) => tag === 'search').map(({ adapterMethod }) => adapterMethod)

for (const [name, methods] of [
  ['search', searches],
  ['trackRoam', ['getRoamTracks']],
  ['personalFM', ['getRoamTracks']],
  ['searchTracks', ['searchTracks']]
] as const) {
  t.test(`the capability ${name} offers ${methods.join(', ')}`, async t => {
    const methodsOf = async (capabilities: string[]) =>
      Object.keys((await (await clientOf(t, capabilities)).offered()).adapter)
    const always = await methodsOf([])
    t.strictSame((await methodsOf([name])).filter(method => !always.includes(method)).sort(), [...methods].sort())
  })
}

t.test('lists that an older status does not have are empty', async t => {
  const client = await clientOf(t, [])
  t.match(await client.status(), { version: '0.2.0', qualityMap: [], playlistSortOptions: [] })
})

t.test('a status without capabilities offers only what no capability stands for', async t => {
  const client = await clientOf(t, [], { '/v1/status': { type: 'wow' } })
  t.strictSame(Object.keys((await client.offered()).adapter).sort(), [
    'favoriteAlbum', 'favoriteArtist', 'getArtistAlbums', 'getArtistTracks', 'getPlaylistDetail',
    'getRecommendedPlaylist',
    'userAlbums', 'userArtists'
  ])
})

t.test('lists that an older status has as null are empty', async t => {
  const nothing = { capabilities: null, qualityMap: null, playlistSortOptions: null }
  const client = await clientOf(t, [], { '/v1/status': { type: 'wow', ...nothing } })
  t.match(await client.status(), { type: 'wow', capabilities: [], qualityMap: [], playlistSortOptions: [] })
  t.notOk('searchTracks' in (await client.offered()).adapter)
})

for (const method of ['getRecommendedPlaylist', 'userArtists', 'userAlbums']) {
  t.test(`a 404 for ${method}, which has no capability, means that the origin does not have it`, async t => {
    const { adapter: offered } = await (await clientOf(t, [])).offered()
    t.match(await thrownBy(callMethod(offered, method, [])), {
      name: 'UnsupportedFeatureError', status: 501, cause: { status: 404 }
    })
  })
}

t.test('a 404 for an id stays what it is: the item may not exist', async t => {
  const { adapter: offered } = await (await clientOf(t, ['songDetail'])).offered()
  for (const method of ['getPlaylistDetail', 'getArtistAlbums', 'getTrackDetail']) {
    t.match(await thrownBy(callMethod(offered, method, ['1'])), { name: 'NotFoundError', message: 'Not here' })
  }
})

t.test('what the origin has is answered, and other errors stay what they are', async t => {
  const client = await clientOf(t, [], { '/v1/user/artist/list': [], '/v1/user/album/list': null })
  const { adapter: offered } = await client.offered()
  t.strictSame(await callMethod(offered, 'userArtists', []), [])
  t.match(await thrownBy(callMethod(offered, 'userAlbums', [])), { name: 'UpstreamError' })
})
