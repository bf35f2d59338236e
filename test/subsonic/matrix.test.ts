import type { InjectOptions } from 'fastify'
import { operations } from 'fastify-source-origin'
import assert from 'node:assert/strict'
import t from 'tap'
import { logged } from '../helper.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { expectedXml, login, parseXml, queryOf, roomy, serve, token, tokenLogin, type Query } from './helper.ts'
import { calls, changes } from './methods.ts'

const formats = { json: { f: 'json' }, jsonp: { f: 'jsonp', callback: 'call_back.of' }, xml: {} }
const secret = 'a secret in an error'

const adapters: Record<string, () => object> = {
  full: () => createReferenceAdapter(() => 'http://localhost'),
  empty: () => ({}),
  throwing: () => Object.fromEntries(operations.map(({ adapterMethod }) => [adapterMethod, async () => { throw new Error(secret) }]))
}

const ways: Record<string, (method: string, query: Query) => InjectOptions> = {
  GET: (method, query) => ({ url: `/rest/${method}?${queryOf(query)}` }),
  'GET .view': (method, query) => ({ url: `/rest/${method}.view?${queryOf(query)}` }),
  POST: (method, query) => ({
    method: 'POST', url: `/rest/${method}.view`, headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: queryOf(query)
  }),
  HEAD: (method, query) => ({ method: 'HEAD', url: `/rest/${method}?${queryOf(query)}` })
}

const types = { json: 'application/json; charset=utf-8', jsonp: 'text/javascript; charset=utf-8', xml: 'text/xml; charset=utf-8' }

/** What every member of every answer keeps: no null, whole numbers, times with milliseconds and zone. */
function checkMembers (value: any, path = ''): void {
  assert.notEqual(value, null, path)
  if (typeof value === 'number') assert.ok(Number.isSafeInteger(value), `${path} = ${value}`)
  if (/\.(created|changed|starred)$/.test(path)) assert.match(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, path)
  if (/(^|\.)(id|parent|albumId|artistId|coverArt)$/.test(path) && !/musicFolder\.id$/.test(path)) assert.equal(typeof value, 'string', path)
  if (typeof value !== 'object') return
  for (const [name, member] of Object.entries<any>(value)) {
    for (const item of Array.isArray(member) ? member : [member]) checkMembers(item, path === '' ? name : `${path}.${name}`)
  }
}

const at = (value: any, path: string) => path.split('.').reduce((inner, name) => inner?.[name], value)

for (const [kind, make] of Object.entries(adapters)) {
  for (const stateless of [false, true]) {
    t.test(`every method over a${kind === 'empty' ? 'n' : ''} ${kind} adapter, ${stateless ? 'stateless' : 'with an account'}`, async t => {
      const { lines, logger } = logged()
      for (const [way, request] of Object.entries(ways)) {
        const app = await serve(t, { adapter: make(), context: { stateless } }, { ...roomy, logger })
        for (const { method, query = {}, lists = [], refused } of [...calls, ...changes.map(call => ({ lists: [], refused: false, ...call }))]) {
          const where = `${way} ${method} ${queryOf(query)}`
          const answers: any = {}
          for (const [format, more] of Object.entries(formats)) {
            // A change is made once.
            if (format !== 'json' && changes.some(change => change.method === method)) continue
            const response = await app.inject(request(method, { ...login, ...query, ...more }))
            assert.equal(response.statusCode, 200, where)
            assert.equal(response.headers['content-type'], types[format as 'json'], where)
            assert.equal(response.headers['cache-control'], 'no-store', where)
            assert.ok(!response.body.includes(secret) && !response.body.includes(token), where)
            if (way === 'HEAD') {
              assert.equal(response.body, '', where)
              continue
            }
            answers[format] = format === 'json'
              ? response.json()['subsonic-response']
              : format === 'jsonp'
                ? JSON.parse(/^call_back\.of\((.*)\);$/s.exec(response.body)![1]!)['subsonic-response']
                : parseXml(response.body)
          }
          const { json, jsonp, xml } = answers
          if (json === undefined) continue
          const { status, version, type, serverVersion, openSubsonic } = json
          assert.deepEqual({ version, type, openSubsonic }, { version: '1.16.1', type: 'fastify-source-origin', openSubsonic: true }, where)
          assert.match(serverVersion, /^\d+\.\d+\.\d+/)
          checkMembers(json)
          if (kind === 'full' && !(stateless && changes.some(change => change.method === method))) {
            assert.equal(status, refused ? 'failed' : 'ok', `${where} ${json.error?.message}`)
          }
          if (status === 'ok') for (const list of lists) assert.ok(Array.isArray(at(json, list)), `${where} ${list}`)
          else assert.ok([0, 10, 50, 70].includes(json.error.code), where)
          // What is random or made at the time of the call differs from one to the next.
          if (xml === undefined || /random|scan|playQueue/i.test(`${method} ${query.type ?? ''}`)) continue
          assert.deepEqual(jsonp, json, where)
          const { '@xmlns': namespace, ...root } = xml
          assert.equal(namespace, 'http://subsonic.org/restapi')
          assert.deepEqual(root, expectedXml(json), where)
        }
        // A token and an API key are secrets too.
        const { t: digest, s, u } = tokenLogin()
        await app.inject(`/rest/ping?${queryOf({ t: digest, s, u })}`)
        await app.inject(`/rest/no/such/path?${queryOf({ ...login })}`)
        await app.inject({ method: 'PUT', url: `/rest/ping?${queryOf({ ...login })}` })
        assert.ok(lines.length > 0)
        for (const hidden of [token, digest]) {
          assert.deepEqual(lines.filter(line => JSON.stringify(line).includes(hidden)), [], 'the log holds no secret')
        }
      }
      t.pass()
    })
  }
}
