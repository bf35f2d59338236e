import { createServer } from 'node:http'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { replace } from '../replace.ts'
import { folder, mp3, startWith, until } from './helper.ts'

// What the source of a friend offers.

const files = { '1.mp3': mp3({ title: 'Morning at home', artist: 'Ada', album: 'Home' }) }

/** A friend that offers one search, answers others with 404, and is away while `isAway` is set. */
async function friend (t: Test) {
  const asked: string[] = []
  const state = { isAway: false, capabilities: ['searchTracks'] }
  const server = createServer(({ url = '' }, response) => {
    asked.push(url.split('?')[0]!)
    if (state.isAway) return response.destroy()
    const page = { items: [], offset: 0, limit: 20, hasMore: false }
    const data = url.startsWith('/v1/status') ? { stateless: true, capabilities: state.capabilities } : page
    response.end(JSON.stringify({ code: 200, data }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise(resolve => { server.close(resolve); server.closeAllConnections() }))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { env: { SOURCE_URL: url, SOURCE_TOKEN: 'x' }, asked, state }
}

t.test('a source is asked for what it offers, and for nothing else', async t => {
  const { env, asked } = await friend(t)
  const { data, app } = await startWith(t, files, env)
  await data('/v1/search/tracks?keyword=morning')
  await data('/v1/search/albums?keyword=morning')
  await data('/v1/track/new')
  t.strictSame(asked.sort(), ['/page/library', '/v1/search/tracks', '/v1/status'])
  await app.close()
})

t.test('what it has offered last outlives a restart without it, in a file that only its owner reads', async t => {
  const DATA_DIR = folder(t)
  const { env, asked, state } = await friend(t)
  const open = () => startWith(t, files, { ...env, DATA_DIR })
  await (await open()).app.close()
  const file = join(DATA_DIR, 'source.json')
  if (process.platform !== 'win32') t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { url: env.SOURCE_URL, status: { capabilities: ['searchTracks'] } })
  t.notMatch(readFileSync(file, 'utf8'), env.SOURCE_TOKEN)
  t.strictSame(readdirSync(DATA_DIR).filter(name => name.endsWith('.new')), [])

  state.isAway = true
  asked.length = 0
  const { call, data } = await open()
  t.strictSame((await data('/v1/search/albums?keyword=home')).items.length, 1)
  const { headers } = await call('/v1/search/tracks?keyword=morning')
  t.equal(headers['source-partial'], 'source')
  t.notOk(asked.includes('/v1/search/albums'))
})

t.test('a source that is away at the start is asked after five seconds, and then each minute', async t => {
  const { env, asked, state } = await friend(t)
  state.isAway = true
  const { data } = await startWith(t, files, env)
  const { now } = performance
  let later = 0
  replace(t, performance, 'now', () => now.call(performance) + later)
  for (const [ms, isAsked] of [[0, false], [5001, true], [50_000, false], [10_001, true]] as const) {
    state.isAway = false
    later += ms
    asked.length = 0
    await data(`/v1/search/tracks?keyword=morning+${later}`)
    // It is not waited for.
    if (isAsked) await until(() => asked.includes('/v1/status'))
    t.equal(asked.includes('/v1/status'), isAsked, `after ${ms} ms`)
  }
})

for (const [what, text] of [
  ['of another address', '{"url":"http://elsewhere.test","status":{"capabilities":[]}}'], ['that is broken', '{']
] as const) {
  t.test(`a file ${what} is not used`, async t => {
    const DATA_DIR = folder(t)
    writeFileSync(join(DATA_DIR, 'source.json'), text)
    const { env, asked } = await friend(t)
    const { data } = await startWith(t, files, { ...env, DATA_DIR })
    await data('/v1/search/tracks?keyword=morning')
    t.ok(asked.includes('/v1/search/tracks'))
  })
}

t.test('a folder that cannot be written to costs a line in the log', async t => {
  const DATA_DIR = folder(t, { 'source.json.new/1': '' })
  const { env } = await friend(t)
  const { data, lines } = await startWith(t, files, { ...env, DATA_DIR })
  t.equal((await data('/v1/search/tracks?keyword=morning')).items.length, 1)
  t.ok(lines.some(({ err, msg }) => msg === 'source status not stored' && err.code !== undefined))
})

t.test('a failure of a friend is told to listeners by its name, and is no fault of their token', async t => {
  const { env, state } = await friend(t)
  state.capabilities = ['searchTracks', 'songDetail']
  const { call } = await startWith(t, files, env)
  state.isAway = true
  const { statusCode, body } = await call('/v1/track?id=source%3A1')
  t.equal(statusCode, 502)
  t.match(JSON.parse(body).message, /^127\.0\.0\.1 failed/)
})
