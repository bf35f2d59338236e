import t from 'tap'
import { UpstreamError, type RandomIds, type SourceLibrary } from 'fastify-source-origin'
import { combineSources, SourceStates } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { replace } from '../replace.ts'
import { ask, serve } from '../subsonic-server/helper.ts'
import { sourceOf, trackOf } from './helper.ts'

const libraryOf = (name: string, count: number) => createLibrary({
  artists: [], albums: [], tracks: Array.from({ length: count }, (_empty, at) => trackOf(`${name}${at}`))
})
/** A library that can only list itself. */
const onlyLists = (library: SourceLibrary): SourceLibrary => {
  const { ids, items, facets } = library
  return { ...library, ids: ids.bind(library), items: items.bind(library), facets: facets.bind(library) }
}

type Libraries = Readonly<Record<string, SourceLibrary>>

const combined = (libraries: Libraries, states = new SourceStates()) => () => combineSources(
  Object.entries(libraries).map(([id, library]) => sourceOf(id, { library }, { account: 'a' })), { states })

async function titlesOf (app: Awaited<ReturnType<typeof serve>>, size: number): Promise<string[]> {
  return (await ask(app, 'getRandomSongs', { size })).randomSongs.song.map(({ title }: { title: string }) => title)
}

const one = libraryOf('one', 1)
const many = libraryOf('many', 400)
for (const [what, libraries, count] of [
  ['libraries', { one, many }, 401],
  ['a library that can only list itself', { one: onlyLists(one), many }, 401],
  ['empty libraries', { one: libraryOf('x', 0), many: libraryOf('y', 0) }, 0]
] as [string, Libraries, number][]) {
  t.test(`random songs of ${what} are all, each once, where there are no more`, async t => {
    const app = await serve(t, { resolveContext: combined(libraries) })
    t.equal(new Set(await titlesOf(app, 500)).size, count)
    t.equal(new Set(await titlesOf(app, 400)).size, Math.min(400, count))
  })
}

t.test('a song of a small source is as likely as one of a large one', async t => {
  const app = await serve(t, { resolveContext: combined({ one, many }) })
  const firstAt = async (random: number) => {
    replace(t, Math, 'random', () => random)
    return (await titlesOf(app, 1))[0]!.replace(/\d+/, '')
  }
  t.strictSame([await firstAt(0), await firstAt(1.1 / 401), await firstAt(0.99)], ['one', 'many', 'many'])
})

t.test('how many a source has counts, where it gives as many as are wanted', async t => {
  const library = { ...onlyLists(one), randomIds: (): RandomIds => ({ ids: ['one0'], total: 399 }) }
  const app = await serve(t, { resolveContext: combined({ one: library, few: libraryOf('few', 1) }) })
  replace(t, Math, 'random', () => 0.9)
  t.strictSame(await titlesOf(app, 1), ['one0'])
  t.strictSame((await titlesOf(app, 5)).sort(), ['few0', 'one0'], 'fewer than wanted are all that there are')
})

t.test('random songs come from available sources, of libraries that are not stored too', async t => {
  const states = new SourceStates()
  const app = await serve(t, { resolveContext: combined({ one, many }, states) })
  t.equal((await titlesOf(app, 500)).length, 401)
  states.of('many', 'MANY', 'a').fail(new UpstreamError('away'))
  t.strictSame(await titlesOf(app, 500), ['one0'])
})
