import t from 'tap'
import { extras, NotFoundError, operations } from 'fastify-source-origin'
import { completeAdapter, parametersOf } from '../helper.ts'
import { combined, sourceOf, trackOf } from './helper.ts'
import { CombinedIds, idsIn, isExternalId, mergedId } from '../../lib/combine/combined-ids.ts'

/** Every id in a value, by the members that hold one. */
function idsOf (value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(idsOf)
  if (typeof value !== 'object' || value === null) return []
  const { label, key, ...more } = value as Record<string, unknown>
  const isCategory = label !== undefined && Object.keys(more).length === 0
  return [
    ...isCategory ? [key] : [],
    ...Object.entries(more).flatMap(([name, member]) =>
      ['id', 'userId', 'mvId'].includes(name) && typeof member === 'string' ? [member] : idsOf(member)),
    ...idsOf((value as { [extras]?: object })[extras])
  ]
}

t.test('every id in every answer carries its source, and leads back to it', async t => {
  const { adapter, calls } = completeAdapter()
  const both = combined([sourceOf('home', adapter), sourceOf('away', {})])
  for (const { adapterMethod, parameters } of operations) {
    const given = parametersOf({ adapterMethod } as (typeof operations)[number], 'all')
    const args = parameters.map(name => /^(id|playlistId|trackId|category)$/.test(name) ? 'home:x:+1.y/ü' : given[name])
    const answer = await both[adapterMethod](...args)
    t.ok(idsOf(answer).every(id => String(id).startsWith('home:')), adapterMethod)
    const named = parameters.map((name, at) => [name, calls.at(-1)!.args[at]]).filter(([name]) =>
      ['id', 'playlistId', 'trackId', 'category'].includes(name as string))
    t.ok(named.every(([, value]) => value === 'x:+1.y/ü'), adapterMethod)
  }
})

t.test('ids in extras carry their source too', async t => {
  const track = trackOf('1', 'One', {
    [extras]: {
      albumArtists: [{ id: 'a', name: 'Ada' }],
      contributors: [{ role: 'x', artist: { name: 'Bo' } }],
      musicBrainzId: 'm'
    },
    album: { id: 'b', name: 'B', coverUrl: '', [extras]: { artists: [{ id: 'a', name: 'Ada' }] } }
  })
  const { getTrackDetail } = combined([sourceOf('home', { getTrackDetail: () => track })])
  const answer = await getTrackDetail('home:1')
  t.strictSame(answer[extras], {
    albumArtists: [{ id: 'home:a', name: 'Ada' }],
    contributors: [{ role: 'x', artist: { name: 'Bo' } }],
    musicBrainzId: 'm'
  })
  t.strictSame(answer.album[extras].artists, [{ id: 'home:a', name: 'Ada' }])
  t.equal(track.id, '1', 'and what the source gave is as it was')
})

t.test('an item without an id has none in a combination', async t => {
  const { getTrackDetail } = combined([sourceOf('home', { getTrackDetail: () => trackOf('1') })])
  t.equal((await getTrackDetail('home:1')).album.id, '')
})

t.test('items of a class, with toJSON, and numbers as ids are read', async t => {
  class Item { get id () { return 7 } get title () { return 'One' } get artists () { return [] } }
  const tracks = [new Item(), { toJSON: () => trackOf('8') }, null, 'odd', Promise.resolve(trackOf('9'))]
  const { getNewTracks } = combined([sourceOf('home', { getNewTracks: () => tracks })])
  const [first, second, third, fourth, fifth] = await getNewTracks()
  t.match(first, { id: 'home:7', title: 'One' })
  t.match(second, { id: 'home:8' })
  t.strictSame([third, fourth], [null, 'odd'], 'what breaks the contract is left to who asks')
  t.ok(fifth instanceof Promise)
})

t.test('what is no list, and an id that is none, are left to who asks', async t => {
  const { getNewTracks, getTrackDetail } = combined([sourceOf('home', {
    getNewTracks: () => ({ oops: true }), getTrackDetail: () => ({ id: { odd: 1 }, title: 'x' })
  })])
  t.strictSame(await getNewTracks(), { oops: true })
  t.strictSame(await getTrackDetail('home:1'), { id: { odd: 1 }, title: 'x' })
})

t.test('an id of no source is not found', async t => {
  const { getTrackDetail, getPlaylists } = combined([
    sourceOf('home', { getTrackDetail: () => trackOf('1'), getPlaylists: () => {} })
  ])
  for (const id of ['away:1', 'home', ':home', '+', '+x', '+9', '']) {
    await t.rejects(getTrackDetail(id), NotFoundError, id)
  }
  await t.rejects(getPlaylists(0, 20, 'away:rock'), NotFoundError)
})

t.test('an operation that the source of an id lacks is not offered by it', async t => {
  const both = combined([sourceOf('home', {}), sourceOf('away', { getTrackLyrics: () => ({ lyrics: '' }) })])
  await t.rejects(both.getTrackLyrics('home:1'), { status: 501, message: 'HOME does not offer this' })
})

t.test('a merged id has those of all sources, the same in any order, and as many as an id may hold', t => {
  const ids = ['home:1.:+', 'away:2', `far:${'x'.repeat(900)}`]
  t.strictSame(idsIn(mergedId(ids)), [...ids].sort())
  t.equal(mergedId(ids.toReversed()), mergedId(ids))
  t.equal(mergedId([mergedId(ids.slice(0, 2)), ids[2]!]), mergedId(ids))
  t.strictSame(idsIn(mergedId([...ids, `very-far:${'y'.repeat(200)}`])), [...ids].sort())
  t.equal(mergedId(['home:1', 'home:1']), 'home:1')
  t.strictSame(idsIn('home:1'), ['home:1'])
  t.end()
})

for (const [source, own, id] of [
  ['home', 'a:b', 'a:b'], ['home', '', ''], ['home', 'combined:x', 'combined:x'],
  ['home', '+1.a', 'home:+1.a'], ['home', 'away:1', 'home:away:1'], ['home', 'home:1', 'home:home:1'],
  ['away', 'a:b', 'away:a:b'], ['away', '+', 'away:+'], ['away', '', '']
] as const) {
  t.test(`the id "${own}" of ${source} is "${id}" where those of home have no prefix`, async t => {
    const ids = new CombinedIds(['home', 'away'], 'home')
    t.equal(ids.join(source, own), id)
    t.strictSame(ids.split(id), id === '' ? undefined : { source, id: own })
  })
}

t.test('one source may keep its ids, so that apps know them when another one is added', async t => {
  const tracks = (...ids: string[]) => ({
    getTrackDetail: (id: string) => trackOf(id),
    getNewTracks: () => ids.map(id => trackOf(id)),
    userFavoriteTracks: () => ids.map(id => trackOf(id))
  })
  const both = combined(
    [sourceOf('home', tracks('1', 'away:1')), sourceOf('away', tracks('1'))], { unprefixed: 'home' })
  t.strictSame((await both.userFavoriteTracks()).map(({ id }: { id: string }) => id), ['1', 'home:away:1', 'away:1'])
  t.equal((await both.getTrackDetail('1')).id, '1')
  t.equal((await both.getTrackDetail('home:1')).id, '1', 'the id that it had before with a prefix')
  t.equal((await both.getTrackDetail('home:away:1')).id, 'home:away:1')
  t.equal((await both.getTrackDetail('away:1')).id, 'away:1')
})

t.test('an id of another source in a playlist is written in one way', async t => {
  t.strictSame(
    ['combined:nav%3A1', 'combined:', 'combined:nav:1', 'nav:1'].map(isExternalId), [true, false, false, false]
  )
})

t.test('the source whose ids stay as they are is one of the sources', async t => {
  t.throws(() => combined([sourceOf('home', {})], { unprefixed: 'house' }), {
    message: 'Option "unprefixed" must be the id of one of the sources'
  })
})
