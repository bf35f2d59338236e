// One server of the comparison in a process of its own: `server.js <kind> <row>`. Tells its port, and on request what it used.

import { createServer } from 'node:http'
import express from 'express'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import fastify from 'fastify'
import sourceOrigin, { inferCapabilities, schemas, sdkVersion } from 'fastify-source-origin'
import * as sdk from 'fastify-source-origin'
import { rows } from './answers.js'

const [kind, wanted] = process.argv.slice(2)
const { method, path, data } = rows.find(({ row }) => row === wanted)
const [pathname] = path.split('?')
const token = 'a-token-of-some-length'

const adapter = {
  async getTrackDetail () { return data },
  async searchTracks () { return data },
  async getPlaylistDetail () { return data }
}
const status = { type: 'wow', version: sdkVersion, stateless: true, capabilities: inferCapabilities(adapter), qualityMap: [], playlistSortOptions: [] }
const handlers = { ...adapter, async status () { return status } }
const schemaName = { status: 'Status', getTrackDetail: 'Track', searchTracks: 'TrackPage', getPlaylistDetail: 'PlaylistDetail' }[method]
const isAuthorized = request => request.headers.authorization === token

/** The schemas as clients see them: a member with a default is always there. */
const wireSchemas = schemas.map(schema => ({ ...schema, required: Object.keys(schema.properties).filter(name => schema.required?.includes(name) || 'default' in schema.properties[name]) }))
const named = sdk[`${schemaName}Schema`]

async function bareFastify (withSchemas) {
  const app = fastify()
  app.decorateRequest('account', null)
  app.addHook('preHandler', async request => {
    if (!isAuthorized(request)) throw Object.assign(new Error('Unauthorized'), { statusCode: 401 })
    request.account = { stateless: true }
  })
  if (withSchemas) for (const schema of wireSchemas) app.addSchema(schema)
  const response = { 200: { type: 'object', properties: { code: { const: 200 }, data: { $ref: named.$id } }, required: ['code', 'data'] } }
  app.get(pathname, withSchemas ? { schema: { response } } : {}, async request => ({ code: 200, data: await handlers[method](request.query.id) }))
  await app.listen()
  return app.server
}

function expressServer (withCheck) {
  const app = express()
  const check = Type.Ref(named.$id)
  app.use((request, response, next) => isAuthorized(request) ? next() : response.status(401).json({ code: 401, message: 'Unauthorized', data: null }))
  app.get(pathname, async (request, response) => {
    const answer = await handlers[method](request.query.id)
    if (withCheck && !Value.Check(check, schemas, answer)) throw new Error('broken contract')
    response.json({ code: 200, data: answer })
  })
  return app.listen(0)
}

async function ours (validateResponses, adapterTimeout, adapterFor) {
  const context = { adapter }
  const app = fastify()
  await app.register(sourceOrigin, {
    resolveContext: request => {
      if (request.authorization !== token) return null
      return adapterFor === undefined ? context : { adapter: adapterFor(request), stateless: false }
    },
    validateResponses,
    adapterTimeout,
    exposeOpenApi: false
  })
  await app.listen()
  return app.server
}

const kinds = {
  'node:http': () => createServer(async (request, response) => {
    const json = JSON.stringify({ code: 200, data: await handlers[method]() })
    response.writeHead(isAuthorized(request) ? 200 : 401, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(json) })
    response.end(json)
  }).listen(0),
  'Fastify, schemas': () => bareFastify(true),
  'Fastify, no schemas': () => bareFastify(false),
  'Express 5': () => expressServer(false),
  'Express 5, Value.Check': () => expressServer(true),
  production: () => ours(false),
  development: () => ours(true),
  'no time limit': () => ours(false, 0),
  // Answers of every kind: complete, without defaults, drifting, refused, late, with the signal read.
  mixed: () => ours(false, 30_000, ({ signal }) => ({
    getTrackDetail: async () => data,
    searchTracks: async () => ({ items: [data], offset: 0, limit: 20, hasMore: signal.aborted }),
    getTrackUrl: async () => ({ url: 'https://media.example.com/1.mp3', quality: 'high' }),
    getTrackLyrics: async () => ({ lyrics: '', raw: 1, [`raw${Math.random()}`]: 1 }),
    getSimilarTracks: async () => { throw new TypeError('upstream') },
    favoriteTrack: async () => ({ success: true, status: true })
  }))
}

const server = await kinds[kind]()
if (!server.listening) await new Promise(resolve => server.once('listening', resolve))
process.on('message', () => {
  const cpu = process.cpuUsage()
  globalThis.gc?.()
  process.send({ cpu, rss: process.memoryUsage.rss(), heap: process.memoryUsage().heapUsed })
})
process.on('disconnect', () => process.exit())
process.send({ port: server.address().port, authorization: token, path })
