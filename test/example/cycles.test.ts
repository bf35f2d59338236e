import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { folder, mp3, startWith, type Source } from './helper.ts'

// Two sources that have each other.

const authorization = 'a-token-of-the-tests'

const offered = { items: [], offset: 0, limit: 50, hasMore: false, capabilities: ['searchTracks'], stateless: true }

/** A server at an address that is known before its source runs, and the paths of what it is asked. */
async function front (t: Test) {
  const asked: string[] = []
  const paths: string[] = []
  // What it offers, until it runs.
  let handle: RequestListener = (_request, response) => { response.end(JSON.stringify({ code: 200, data: offered })) }
  const server = createServer((request, response) => {
    const path = String(request.headers['source-path'] ?? '')
    asked.push(`${request.url!.split('?')[0]} ${path.split(', ').length}`)
    paths.push(path)
    handle(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise(resolve => { server.close(resolve); server.closeAllConnections() }))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, asked, paths, lead: (to: RequestListener) => { handle = to } }
}

async function friends (t: Test) {
  const [alder, birch] = [await front(t), await front(t)]
  const open = async (name: string, own: typeof alder, other: typeof alder) => {
    const files = { '1.mp3': mp3({ title: `Morning of ${name}`, artist: 'Ada', album: name }) }
    const source = await startWith(t, files, {
      SOURCE_URL: other.url, SOURCE_TOKEN: authorization, SOURCE_API_TOKEN: authorization
    })
    own.lead((request, response) => source.app.routing(request, response))
    return Object.assign(source, { asked: own.asked, paths: own.paths })
  }
  return [await open('Alder', alder, birch), await open('Birch', birch, alder)] as const
}

/** Where a search finds songs, and their titles. */
async function found ({ call }: Source, path: string[] = []): Promise<string[]> {
  const headers = { authorization, ...path.length > 0 && { 'source-path': path.join(', ') } }
  const answer = await call('/v1/search/tracks?keyword=morning&limit=50', { headers })
  t.equal(answer.headers['source-partial'], undefined)
  return answer.json().data.items.map(({ id, title }: { id: string, title: string }) =>
    `${id.split(':').slice(0, -1).join(':')} ${title}`.trim()).sort()
}

const own = (name: string) => new RegExp(`Morning of ${name}$`)
const ofOthers = (titles: string[]) => titles.filter(title => title.startsWith('source'))

t.test('a search asks each source once on its way, and finds what all have', async t => {
  const [alder, birch] = await friends(t)
  const ways = [[alder, birch, ['Alder', 'Birch']], [birch, alder, ['Birch', 'Alder']]] as const
  for (const [source, other, names] of ways) {
    for (const { asked } of [alder, birch]) asked.length = 0
    const titles = await found(source)
    t.equal(titles.length, 3)
    t.equal(titles.filter(title => own(names[0]).test(title)).length, 2, 'its own, also by way of the other one')
    t.equal(titles.filter(title => own(names[1]).test(title)).length, 1)
    const searches = ({ asked }: { asked: string[] }) => asked.filter(path => !/^\/(v1\/status|page\/library)/.test(path))
    t.strictSame(searches(other), ['/v1/search/tracks 1'])
    t.strictSame(searches(source), ['/v1/search/tracks 2'])
  }
})

t.test('what is answered on a path is not sent to who asks without one, nor the other way', async t => {
  const [alder, birch] = await friends(t)
  const whole = await found(alder)
  await found(birch)
  // The path by which a search of Birch came, and went on from Alder to Birch again.
  const ids = birch.paths.at(-1)!.split(', ')
  t.equal(ids.length, 2)
  const cut = await found(alder, ids)
  t.equal(cut.length, 1)
  t.strictSame(await found(alder), whole)
  t.strictSame(await found(alder, ids), cut)
  t.strictSame(ofOthers(await found(alder, ['elsewhere'])), ofOthers(whole), 'a path that it is not on')
})

t.test('a source keeps its name on paths over a restart', async t => {
  const DATA_DIR = folder(t)
  const friend = await front(t)
  const nameOf = async () => {
    const source = await startWith(t, {}, { DATA_DIR, SOURCE_URL: friend.url, SOURCE_TOKEN: 'x' })
    await source.call('/v1/search/tracks?keyword=morning')
    await source.app.close()
    return friend.paths.at(-1)
  }
  const name = await nameOf()
  t.match(name, /^\w{16}$/)
  t.equal(await nameOf(), name)
})
