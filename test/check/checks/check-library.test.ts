import t from 'tap'
import { extras, type SourceLibrary } from 'fastify-source-origin'
import { checkSource } from 'fastify-source-origin/check'
import { rules } from '../../../lib/check/rules.ts'
import { createLibrary } from 'fastify-source-origin/library'
import { authorized, build, buildOnce, token } from '../../helper.ts'
import { artists, asked, facets, faulty, ids, libraryFaults, sound } from '../library-faults.ts'

const app = await buildOnce(t)
const findingsOf = async (library: SourceLibrary) => {
  const { findings } = await checkSource({ app: app({ library }), authorization: token })
  return findings
}

t.test('a sound library has no findings, nor has an empty one', async t => {
  t.strictSame(await findingsOf(sound), [])
  t.strictSame(await findingsOf(createLibrary({ artists: [], albums: [], tracks: [] })), [])
})

t.test('numbers that repeat on an album have no order', async t => {
  const [ada] = artists
  const album = { id: 'a', name: 'Both', artistName: ada!.name, coverUrl: '' }
  const tracks = [1, 2, 1, 2].map((track, at) => ({
    id: `t${at}`, title: `Part ${at}`, artists: [ada!], album, durationMs: 180_000, [extras]: { discNumber: 1, track }
  }))
  t.strictSame(await findingsOf(createLibrary({ artists: [ada!], albums: [album], tracks })), [])
})

t.test('details of an album whose tracks the library lacks are not compared with it', async t => {
  const [ada] = artists
  const album = { id: 'a', name: 'Both', artistName: ada!.name, coverUrl: '' }
  const track = { id: 't', title: 'One', artists: [ada!], album, durationMs: 180_000 }
  const library = createLibrary({ artists: [ada!], albums: [album], tracks: [] })
  const { findings } = await checkSource({
    app: app({ library, getAlbumDetail: () => ({ ...album, tracks: [track] }) }), authorization: token
  })
  t.notOk(findings.some(({ rule }) => rule === 'tracks-unstable'))
})

t.test('an order of what the account has played has nothing else', async t => {
  const sorted = facets((facets, kind) =>
    kind === 'albums' ? { ...facets, sorts: [...facets.sorts, 'plays'] } : facets)
  const played = ids((ids, { sort }) => sort === 'plays' ? ['a3', 'a1'] : ids)
  t.strictSame(await findingsOf(faulty({ ...sorted, ...played })), [])
})

t.test('a library has no findings where only a part is checked, and in production', async t => {
  const library = { ...faulty({}), get revision (): string { throw new Error('asked') } }
  t.strictSame((await checkSource({ app: app({ library }), authorization: token, only: ['track'] })).findings, [])
  t.intercept(process, 'env', { value: { ...process.env, NODE_ENV: 'production' } })
  const production = await build(t, { adapter: { library } })
  t.strictSame((await checkSource({ app: production, authorization: token })).findings, [])
})

t.test('a question that is no JSON is refused, and one without a library has no answer', async t => {
  const url = '/v1/development?library='
  t.equal((await app({ library: sound }).inject({ url: `${url}x`, headers: authorized })).statusCode, 400)
  t.strictSame((await app({}).inject({ url: `${url}{}`, headers: authorized })).json(), { code: 200 })
  t.equal((await app({ library: sound }).inject(`${url}{}`)).statusCode, 401)
})

for (const [rule, title, change] of libraryFaults) {
  t.test(`${rule}: ${title}`, async t => {
    asked.times = 0
    const found = await findingsOf(Object.defineProperties(faulty({}), Object.getOwnPropertyDescriptors(change)))
    t.strictSame([...new Set(found.map(({ rule }) => rule))], [rule], JSON.stringify(found, null, 1))
    t.match(found[0], { level: rules[rule].level, hint: rules[rule].hint, operation: 'status', request: /^library\./ })
  })
}

t.test('what was logged of a library that fails stands with the finding', async t => {
  const [finding] = await findingsOf(faulty({ ids () { throw new Error('no database') } }))
  t.match(finding!.log, /^Error: no database/)
})

t.test('ids that are long are asked for some at a time', async t => {
  const long = Array.from({ length: 30 }, (_, at) => ({ id: `${at}-${'x'.repeat(500)}`, name: `Name ${at}` }))
  let most = 0
  const library = createLibrary({ artists: long, albums: [], tracks: [] })
  const found = await findingsOf({
    revision: '1',
    changedAt: Date.now(),
    ids: library.ids.bind(library),
    facets: library.facets.bind(library),
    items (kind, ids, call) {
      // The source chooses the first items of a list itself.
      if (ids.length < long.length) most = Math.max(most, ids.join('').length)
      return library.items(kind, ids, call)
    }
  })
  t.strictSame(found, [])
  t.ok(most > 1000 && most <= 4000, String(most))
})

t.test('items of which a library gives 100 at a time are broken: apps ask for 200', async t => {
  const artists = Array.from({ length: 250 }, (_, at) => ({ id: `r${at}`, name: `Name ${at}` }))
  const library = createLibrary({ artists, albums: [], tracks: [] })
  const found = await findingsOf({
    revision: '1',
    changedAt: 1_700_000_000_000,
    ids: library.ids.bind(library),
    facets: library.facets.bind(library),
    items: (kind, ids, call) => library.items(kind, ids.slice(0, 100), call)
  })
  t.match(found, [{ rule: 'library-answer', message: "library.items('artists') of 200 ids answered 500" }])
  t.equal(found.length, 1)
  t.match(found[0]!.log, /library\.items\('artists'\) must return an item or undefined for each of 200 ids, got 100 items/)
})

t.test('a library that does not answer in time is told as that', async t => {
  const library = faulty({ facets: () => new Promise(() => {}) })
  const slow = await build(t, { adapter: { library }, adapterTimeout: 200 })
  const { findings } = await checkSource({ app: slow, authorization: token })
  t.match(findings, [{ rule: 'timeout', message: "library.facets('artists') answered 504", hint: rules.timeout.hint }])
  t.strictSame([...new Set(findings.map(({ rule }) => rule))], ['timeout'])

  const slower = await build(t, { adapter: { library }, adapterTimeout: 1000 })
  const waiting = await checkSource({ app: slower, authorization: token, timeout: 300 })
  t.strictSame([...new Set(waiting.findings.map(({ rule }) => rule))], ['timeout'])
})
