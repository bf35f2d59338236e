// One server of the comparison in a process of its own: `server.js <kind> <row>`. Each loads only what somebody who
// writes it by hand would load, since what else is in the heap changes how fast V8 is. start-server.js starts it and
// talks to it.

import { once } from 'node:events'
import { rows } from './answers.js'
import { tool } from './tool.js'

const [kind, wanted] = process.argv.slice(2)
const { method, path, make } = rows.find(({ row }) => row === wanted) ?? rows[0]
const [pathname] = path.split('?')
const token = 'a-token-of-some-length'
const [{ wireSchemas, schemaIds, status }] = await once(process, 'message')

const data = make() ?? status
const answer = async () => data
const adapter = { getTrackDetail: answer, searchTracks: answer, getPlaylistDetail: answer }
const handlers = { ...adapter, status: answer }
const schemaId = schemaIds[method]
// More than the log of drifts tells apart, but always the same: V8 keeps a new name, and the shape of its object, until
// a full collection.
const foreign = Array.from({ length: 1200 }, (_, index) => `foreign${index}`)
const isAuthorized = request => request.headers.authorization === token

async function bareFastify (withSchemas) {
  const { default: fastify } = await import('fastify')
  const app = fastify()
  app.decorateRequest('account', null)
  app.addHook('preHandler', async request => {
    if (!isAuthorized(request)) throw Object.assign(new Error('Unauthorized'), { statusCode: 401 })
    request.account = { stateless: true }
  })
  if (withSchemas) for (const schema of wireSchemas) app.addSchema(schema)
  const response = {
    200: { type: 'object', properties: { code: { const: 200 }, data: { $ref: schemaId } }, required: ['code', 'data'] }
  }
  app.get(pathname, withSchemas ? { schema: { response } } : {}, async request =>
    ({ code: 200, data: await handlers[method](request.query.id) }))
  await app.listen()
  return app.server
}

async function expressServer (withCheck) {
  const express = tool('express')
  const check = withCheck ? await valueCheck() : () => true
  const app = express()
  app.use((request, response, next) =>
    isAuthorized(request) ? next() : response.status(401).json({ code: 401, message: 'Unauthorized', data: null }))
  app.get(pathname, async (request, response) => {
    const answer = await handlers[method](request.query.id)
    if (!check(answer)) throw new Error('broken contract')
    response.json({ code: 200, data: answer })
  })
  return app.listen(0)
}

async function valueCheck () {
  const { Type } = await import('@sinclair/typebox')
  const { Value } = await import('@sinclair/typebox/value')
  const { schemas } = await import('fastify-source-origin')
  const schema = Type.Ref(schemaId)
  return answer => Value.Check(schema, schemas, answer)
}

async function ours (options, adapterFor) {
  const { default: fastify } = await import('fastify')
  const { default: sourceOrigin } = await import('fastify-source-origin')
  const context = { adapter }
  const app = fastify()
  await app.register(sourceOrigin, {
    resolveContext: request => {
      if (request.authorization !== token) return null
      return adapterFor === undefined ? context : { adapter: adapterFor(request), stateless: false }
    },
    ...options
  })
  await app.listen()
  return app.server
}

const kinds = {
  async 'node:http' () {
    const { createServer } = await import('node:http')
    return createServer(async (request, response) => {
      const json = JSON.stringify({ code: 200, data: await handlers[method]() })
      response.writeHead(isAuthorized(request) ? 200 : 401, {
        'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(json)
      })
      response.end(json)
    }).listen(0)
  },
  'Fastify, schemas': () => bareFastify(true),
  'Fastify, no schemas': () => bareFastify(false),
  'Express 5': () => expressServer(false),
  'Express 5, Value.Check': () => expressServer(true),
  production: () => ours(),
  development: () => ours({ validateResponses: true }),
  'no time limit': () => ours({ adapterTimeout: 0 }),
  // Every row in one process; the rows' paths name them.
  'all rows': () => {
    const made = new Map(rows.map(({ row, make }) => [row, make()]))
    const byRow = async row => made.get(row)
    return ours({}, () => ({ getTrackDetail: byRow, searchTracks: byRow, getPlaylistDetail: byRow }))
  },
  // Answers of every kind: complete, without defaults, drifting in more places than are told apart, refused, with the
  // signal read.
  mixed: () => ours({}, ({ signal }) => ({
    getTrackDetail: async () => data,
    searchTracks: async () => ({ items: [data], offset: 0, limit: 20, hasMore: signal.aborted }),
    getTrackUrl: async () => ({ url: 'https://media.example.com/1.mp3', quality: 'high' }),
    getTrackLyrics: async () => ({ lyrics: '', raw: 1, [foreign[Math.floor(Math.random() * foreign.length)]]: 1 }),
    getSimilarTracks: async () => { throw new TypeError('upstream') },
    favoriteTrack: async () => ({ success: true, status: true })
  }))
}

const server = await kinds[kind]()
if (!server.listening) await once(server, 'listening')
process.on('message', () => {
  const cpu = process.cpuUsage()
  const rss = process.memoryUsage.rss()
  globalThis.gc?.()
  // As for want of memory: this one also gives back the young generation, which grew with the load. Node 20 does not
  // know it.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  process.send({ cpu, rss, kept: process.memoryUsage.rss(), heap: process.memoryUsage().heapUsed })
})
process.on('disconnect', () => process.exit())
process.send({ port: server.address().port, authorization: token, path })
