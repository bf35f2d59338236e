import type { InjectOptions } from 'fastify'
import { operations, UpstreamError } from 'fastify-source-origin'
import assert from 'node:assert/strict'
import t from 'tap'
import { annotateMethods } from '../../lib/subsonic-server/methods/annotate-methods.ts'
import { browseMethods } from '../../lib/subsonic-server/methods/browse-methods.ts'
import { listMethods } from '../../lib/subsonic-server/methods/list-methods.ts'
import { lyricsMethods } from '../../lib/subsonic-server/methods/lyrics-methods.ts'
import { mediaMethods } from '../../lib/subsonic-server/methods/media-methods.ts'
import { playlistMethods } from '../../lib/subsonic-server/methods/playlist-methods.ts'
import { searchMethods } from '../../lib/subsonic-server/methods/search-methods.ts'
import { serverMethods } from '../../lib/subsonic-server/methods/server-methods.ts'
import { fifthOf } from '../fifth.ts'
import { logged } from '../helper.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { checkXml, formats, readAnswer, type Format } from './check-answer.ts'
import { login, queryOf, roomy, serve, token, tokenLogin, type Query } from './helper.ts'
import { calls, changesOf, mediaCalls } from './methods.ts'

const secret = 'a secret in an error'
const throwing = (error: () => Error) =>
  Object.fromEntries(operations.map(({ adapterMethod }) => [adapterMethod, async () => { throw error() }]))

const adapters: Record<string, () => object> = {
  full: () => createReferenceAdapter(() => 'http://localhost'),
  empty: () => ({}),
  throwing: () => throwing(() => new Error(`${secret} of ${token}`)),
  refusing: () => throwing(() => new UpstreamError(`refused for ${token}`))
}

const ways = ['GET', 'POST', 'HEAD'] as const
const endings = ['', '.view']

function requestOf (way: typeof ways[number], path: string, query: Query): InjectOptions {
  const payload = queryOf(query)
  return way === 'POST'
    ? { method: way, url: path, headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload }
    : { method: way, url: `${path}?${payload}` }
}

/** What is random or made at the time of the call differs from one to the next. */
const isOfTheMoment = (method: string, { type = '' }: Query) =>
  /random|scan|playQueue|nowPlaying/i.test(`${method} ${type}`)

const at = (value: any, path: string) => path.split('.').reduce((inner, name) => inner?.[name], value)

t.test('every method is called', async t => {
  const tables = [
    annotateMethods, browseMethods, listMethods, lyricsMethods, mediaMethods, playlistMethods, searchMethods,
    serverMethods
  ]
  const called = new Set([...calls, ...mediaCalls, ...changesOf(0)].map(({ method }) => method))
  t.strictSame(tables.flatMap(table => Object.keys(table)).filter(method => !called.has(method)), [])
})

const cases = Object.entries(adapters).flatMap(([kind, make]) =>
  [false, true].flatMap(stateless => ways.map(way => ({ kind, make, stateless, way }))))
// What differs most is tried in any case.
const most = cases.filter(({ stateless, way }) => !stateless && way === 'GET')
for (const { kind, make, stateless, way } of new Set([...most, ...fifthOf(cases)])) {
  t.test(`every method by ${way} over a ${kind} adapter, ${stateless ? 'stateless' : 'with an account'}`, async t => {
    const { lines, logger } = logged()
    for (const ending of endings) {
      const app =
        await serve(t, { adapter: make(), context: { stateless }, media: 'redirect' }, { ...roomy, logger })
      const isFull = kind === 'full'

      /** The envelope; `undefined` for bytes and where there is no body. */
      async function call (method: string, query: Query, format: Format, isRefused = false): Promise<any> {
        const response =
          await app.inject(requestOf(way, `/rest/${method}${ending}`, { ...login, ...query, ...formats[format] }))
        const isMedia = Object.hasOwn(mediaMethods, method)
        assert.ok(!response.body.includes(secret) && !response.body.includes(token), response.body)
        if (isMedia ? isFull && !isRefused : way === 'HEAD') {
          assert.equal(response.statusCode, isMedia ? 302 : 200)
          assert.equal(response.body, '')
          const isPicture = ['getCoverArt', 'getAvatar'].includes(method)
          assert.match(response.headers['cache-control']!, isPicture ? /^private, max-age=\d+$/ : /^no-store$/)
          return undefined
        }
        assert.ok(isMedia ? [403, 404, 502].includes(response.statusCode) : response.statusCode === 200, String(
          response.statusCode
        ))
        return way === 'HEAD' ? undefined : readAnswer(format, response)
      }

      async function compare (
        method: string, query: Query, isRefused: boolean, lists: string[] = []
      ): Promise<void> {
        try {
          const json = await call(method, query, 'json', isRefused)
          const [jsonp, xml] =
            [await call(method, query, 'jsonp', isRefused), await call(method, query, 'xml', isRefused)]
          if (json === undefined) return
          if (isFull) assert.equal(json.status, isRefused ? 'failed' : 'ok', json.error?.message)
          if (json.status === 'ok') for (const list of lists) assert.ok(Array.isArray(at(json, list)), list)
          if (isOfTheMoment(method, query)) return
          assert.deepEqual(jsonp, json)
          checkXml(xml, json)
        } catch (cause) {
          throw new Error(`${method}${ending} ${queryOf(query)}`, { cause })
        }
      }

      for (const { method, query = {}, refused = false, lists } of calls) {
        await compare(method, query, refused, lists)
      }
      for (const { method, query = {}, refused = false, account = false } of mediaCalls) {
        await compare(method, query, refused || (account && stateless))
      }
      // A change is made in each format by itself, of a playlist of its own.
      const changed = []
      for (const [round, format] of (['json', 'jsonp', 'xml'] as const).entries()) {
        const answers = []
        for (const { method, query } of changesOf(round)) answers.push(await call(method, query, format))
        changed.push(JSON.parse(JSON.stringify(answers).replaceAll(`own${round}`, 'own0')))
      }
      if (way !== 'HEAD') {
        const [json, jsonp, xml] = changed
        if (isFull) for (const { status } of json) assert.equal(status, stateless ? 'failed' : 'ok')
        assert.deepEqual(jsonp, json)
        json.forEach((answer: any, index: number) => checkXml(xml[index], answer))
      }

      // A token and an API key are secrets too.
      const { t: digest, s, u } = tokenLogin()
      await app.inject(requestOf(way, `/rest/ping${ending}`, { t: digest, s, u }))
      await app.inject(requestOf(way, `/rest/ping${ending}`, { apiKey: token }))
      await app.inject(`/rest/no/such/path?${queryOf({ ...login })}`)
      await app.inject({ method: 'PUT', url: `/rest/ping?${queryOf({ ...login })}` })
      for (const hidden of [token, digest]) {
        t.strictSame(lines.filter(line => JSON.stringify(line).includes(hidden)), [], 'the log holds no secret')
      }
    }
    t.ok(lines.length > 0)
  })
}
