import t from 'tap'
import fc from 'fast-check'
import { extras, NotFoundError, type SourceLibrary, type Track } from 'fastify-source-origin'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { CombinedIds, idsIn, mergedId } from '../../lib/combine/combined-ids.ts'
import { mergeSame } from '../../lib/combine/same-items.ts'
import { countSteps } from '../example/count-steps.ts'
import { wholeList } from '../whole-list.ts'
import { combined, pageOf, sourceOf, trackOf } from './helper.ts'

const merge = { duplicates: 'merge' } as const
const quality = (key: string) => ({ key, label: key, size: 0 })
const listing = (...tracks: object[]) => ({ getNewTracks: () => tracks, userFavoriteTracks: () => [] })

/** Ids of the new tracks of sources with one track each. */
async function newOf (...tracks: (object | null)[]): Promise<string[]> {
  const sources = tracks.map((track, at) => sourceOf(`s${at}`, listing(track as object)))
  return (await combined(sources, merge).getNewTracks()).map((track?: Track) => track?.id)
}

t.test('the same track of two sources is one, with the qualities of both', async t => {
  const sources = [
    sourceOf('a', listing(trackOf('1', 'Dáwn', { qualities: [quality('high')], favorite: false, fee: true }))),
    sourceOf('b', listing(trackOf('2', 'dawn', { qualities: [quality('high'), quality('low')], favorite: true }))),
    sourceOf('c', listing(trackOf('3', 'DAWN', { durationMs: 3000 })))
  ]
  t.strictSame(await combined(sources, merge).getNewTracks(), [trackOf(mergedId(['a:1', 'b:2', 'c:3']), 'Dáwn', {
    qualities: [quality('high'), quality('low')], favorite: true, fee: false
  })])
  t.equal((await combined(sources).getNewTracks()).length, 3, 'unless they are to be kept')
})

t.test('tracks of other lengths, artists and albums are others', async t => {
  const track = trackOf('1', 'Dawn')
  t.equal((await newOf(track, { ...track, durationMs: 3001 })).length, 2)
  t.equal((await newOf(track, { ...track, artists: [{ id: 'x', name: 'Ada' }] })).length, 2)
  t.equal((await newOf(track, { ...track, album: { id: 'x', name: 'X', coverUrl: '' } })).length, 2)
  const bare = { id: '1', title: 'x' }
  t.equal((await newOf(bare, bare, null, { ...bare, id: '' })).length, 3, 'whatever is missing')
})

t.test('an ISRC or a MusicBrainz id says more than names', async t => {
  const track = (title: string, more: object) => ({ ...trackOf('1', title), [extras]: more })
  t.equal((await newOf(track('One', { isrc: ['gb-abc'] }), track('Uno', { isrc: ['GBABC', 'x'] }))).length, 1)
  t.equal((await newOf(track('One', { musicBrainzId: 'm' }), track('Uno', { musicBrainzId: 'm' }))).length, 1)
  t.equal((await newOf(track('One', { isrc: ['a'] }), track('One', { isrc: ['b'] }))).length, 2)
  t.equal((await newOf(track('One', { isrc: ['a'] }), track('One', {}))).length, 1)
})

t.test('parts of a work that have one ISRC are others, whatever order they come in', async t => {
  const part = (id: string, durationMs: number) => ({ ...trackOf(id, `Part ${id}`, { durationMs }), [extras]: { isrc: ['x'] } })
  const both = [
    sourceOf('a', listing(part('1', 200_000), part('2', 300_000))),
    sourceOf('b', listing(part('2', 301_000), part('1', 205_000), part('3', 0)))
  ]
  t.strictSame((await combined(both, merge).getNewTracks()).map(({ id }: Track) => id), [
    mergedId(['a:1', 'b:1']), mergedId(['a:2', 'b:2']), 'b:3'
  ])
  t.equal((await newOf(part('1', 200_000), part('1', 0))).length, 1, 'one may have no length')
})

t.test('what one source has twice stays twice', async t => {
  const both = [sourceOf('a', listing(trackOf('1', 'x'), trackOf('2', 'x'))), sourceOf('b', listing(trackOf('3', 'x')))]
  const { getNewTracks } = combined(both, merge)
  t.strictSame((await getNewTracks()).map(({ id }: Track) => id), [mergedId(['a:1', 'b:3']), 'a:2'])
})

t.test('what has the same name a thousand times is found in steps that grow with it', async t => {
  /** Tracks of two sources. */
  const of = (count: number, more: (place: number, source: string) => object) => ['a', 'b'].flatMap(source =>
    Array.from({ length: count }, (_empty, at) => ({ ...trackOf(`${source}:${at}`, 'Untitled'), ...more(at, source) })))
  const kinds = {
    'of one length': () => ({}),
    'of many lengths': (place: number) => ({ durationMs: place * 997 % 100_000 }),
    'with an ISRC each': (place: number, source: string) => ({ [extras]: { isrc: [`${source}${place}`] } })
  }
  const ids = new CombinedIds(['a', 'b'])
  for (const [name, more] of Object.entries(kinds)) {
    const [once, twice] = [await countSteps(() => mergeSame(of(500, more), 'Track', ids)),
      await countSteps(() => mergeSame(of(1000, more), 'Track', ids))]
    t.ok(twice < 2.5 * once, `${name}: ${once} steps become ${twice}`)
  }
})

const titles = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 60 })

t.test('pages of what is merged have each track of each source once, in one order', async t => {
  await fc.assert(fc.asyncProperty(fc.array(titles, { minLength: 2, maxLength: 4 }), fc.integer({ min: 1, max: 40 }),
    async (all, limit) => {
      const { searchTracks } = combined(all.map((titles, at) => sourceOf(`s${at}`, {
        searchTracks: (_keyword: string, offset: number, limit: number) =>
          pageOf(titles.map((title, place) => trackOf(`${place}`, title)), offset, limit, 7)
      })), merge)
      const pages = async (limit: number) => {
        const found: Track[] = []
        for (let hasMore = true; hasMore;) {
          const page = await searchTracks('x', found.length, limit)
          found.push(...page.items)
          hasMore = page.hasMore
        }
        return found
      }
      const found = await pages(limit)
      const whole = (await pages(100)).map(({ id }) => idsIn(id))
      const titlesOf = (items: Track[]) => items.map(({ title }) => title).join()
      if (titlesOf(found) !== titlesOf(await pages(100))) throw new Error('Another order')
      const places = all.flatMap((titles, at) => titles.map((_title, place) => `s${at}:${place}`)).sort()
      // What comes on a later page belongs to an item of an earlier one, whose id has been told.
      if (all.flat().length <= 100 && String(whole.flat().sort()) !== String(places)) throw new Error('Not each once')
    }), { numRuns: 50 })
})

t.test('an album of two sources has the tracks of both, as many as are asked for', async t => {
  const of = (id: string, ...titles: string[]) => ({
    getAlbumDetail: () => ({ id, name: 'Dawn', coverUrl: '', tracks: titles.map(title => trackOf(title)) })
  })
  const gone = { getAlbumDetail: () => { throw new NotFoundError('gone') } }
  const { getAlbumDetail } = combined([
    sourceOf('a', of('1', 'x', 'y')), sourceOf('b', of('2', 'y', 'z')), sourceOf('c', gone)
  ], merge)
  const id = mergedId(['a:1', 'b:2', 'c:3'])
  const { tracks, ...album } = await getAlbumDetail(id, -1)
  t.equal(album.id, mergedId(['a:1', 'b:2']))
  t.strictSame(tracks.map(({ id }: Track) => id), ['a:x', mergedId(['a:y', 'b:y']), 'b:z'])
  t.equal((await getAlbumDetail(id, 2)).tracks.length, 2)
  const { getAlbumDetail: none } = combined([sourceOf('a', gone), sourceOf('b', gone)], merge)
  await t.rejects(none(id, -1), NotFoundError)
})

t.test('a track of two sources is shown with the qualities of both', async t => {
  const of = (key: string) => ({ getTrackDetail: (id: string) => trackOf(id, 'x', { qualities: [quality(key)] }) })
  const { getTrackDetail } = combined([sourceOf('a', of('high')), sourceOf('b', of('low'))])
  t.match(await getTrackDetail(mergedId(['a:1', 'b:2'])), { qualities: [quality('high'), quality('low')] })
})

t.test('albums and artists of the library that are the same are one', async t => {
  const of = (...names: string[]): { library: SourceLibrary, userAlbums: () => [] } => ({
    userAlbums: () => [],
    library: createLibrary({
      artists: names.map(name => ({ id: name, name })),
      albums: names.map(name => ({ id: name, name, coverUrl: '', artistName: 'Ada', favorite: name === 'one' })),
      tracks: []
    })
  })
  const sources = [sourceOf('a', of('One', 'Two')), sourceOf('b', of('one', 'Three'))]
  const library = combineSources(sources, merge).adapter.library!
  const call = { signal: new AbortController().signal }
  const one = mergedId(['a:One', 'b:one'])
  t.strictSame(await wholeList(library.ids({ kind: 'artists' }, call)), [one, 'b:Three', 'a:Two'])
  t.strictSame(await wholeList(library.ids({ kind: 'albums', order: 'desc' }, call)), ['a:Two', 'b:Three', one])
  t.match(await library.items('albums', [one, 'a:Two'], call), [
    { id: one, name: 'One', favorite: true }, { id: 'a:Two' }
  ])
})

t.test('a merged id of which one part has changed becomes the merged id of the current parts', async t => {
  const empty = () => createLibrary({ artists: [], albums: [], tracks: [] })
  const changed = Object.assign(empty(), { currentIds: () => new Map([['1', '9']]) })
  const sources = [sourceOf('a', { library: changed }), sourceOf('b', { library: empty() })]
  const { library } = combineSources(sources).adapter!
  const ids = [mergedId(['a:1', 'b:1']), 'a:1', 'b:1', 'a:2']
  t.strictSame([...await library!.currentIds!('tracks', ids, { signal: new AbortController().signal })], [
    [ids[0], mergedId(['a:9', 'b:1'])], ['a:1', 'a:9']
  ])
})

t.test('playlists of the same name are others', async t => {
  const of = { searchPlaylists: () => pageOf([{ id: '1', name: 'x' }], 0, 20) }
  const { searchPlaylists } = combined([sourceOf('a', of), sourceOf('b', of)], merge)
  t.equal((await searchPlaylists('x', 0, 20)).items.length, 2)
})
