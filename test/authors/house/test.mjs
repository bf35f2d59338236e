// A house of two sources in a host with jwt, zod, a document of swagger and metrics.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import jwt from '@fastify/jwt'
import swagger from '@fastify/swagger'
import fastify from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { combineSources } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import { createMetrics } from 'fastify-source-origin/metrics'
import serveSource, { serverOptions } from 'fastify-source-origin/serve'

function sourceOf (id) {
  const artists = [{ id: 'ada', name: `Ada of ${id}` }]
  const albums = [{ id: 'dawn', name: `Dawn of ${id}`, artistName: artists[0].name, coverUrl: '' }]
  const tracks = [1, 2].map(at => ({ id: `${at}`, title: `${id} ${at}`, artists, album: albums[0], durationMs: 1000 }))
  return {
    library: createLibrary({ artists, albums, tracks }),
    getTrackDetail: track => tracks.find(({ id }) => id === track),
    getAlbumDetail: () => ({ ...albums[0], tracks })
  }
}

test('a house of two sources in a host with jwt, zod, swagger and metrics', async t => {
  const app = fastify(serverOptions)
  t.after(() => app.close())
  await app.register(jwt, { secret: 'a secret of the house' })
  await app.register(swagger, {
    openapi: { info: { title: 'House', version: '1' } },
    transform: route => route.schema?.operationId
      ? { schema: route.schema, url: route.url }
      : jsonSchemaTransform(route)
  })
  const metrics = await createMetrics()
  app.addHook('onClose', async () => metrics.close())
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()))
  await app.register(async api => {
    api.setValidatorCompiler(validatorCompiler)
    api.setSerializerCompiler(serializerCompiler)
    const schema = {
      querystring: z.object({ floor: z.coerce.number() }), response: { 200: z.object({ floor: z.number() }) }
    }
    api.get('/lamp', { schema }, async ({ query }) => ({ floor: query.floor }))
  })
  const [attic, cellar] = [sourceOf('attic'), sourceOf('cellar')]
  const nameOf = async authorization => {
    try {
      return app.jwt.verify(authorization.replace('Bearer ', '')).name
    } catch {
      return undefined
    }
  }
  await app.register(serveSource, {
    prefix: '/music',
    source: { inHostDocument: true },
    async resolveContext ({ authorization = '' }) {
      const name = await nameOf(authorization)
      if (name === undefined) return null
      return {
        ...combineSources([
          { id: 'attic', name: 'Attic', adapter: attic }, { id: 'cellar', name: 'Cellar', adapter: cellar }
        ]),
        account: name
      }
    },
    subsonic: { resolveLogin: ({ secret }) => secret === undefined ? null : `Bearer ${secret}` }
  })
  const token = app.jwt.sign({ name: 'ann' })
  const get = async (url, headers = { authorization: `Bearer ${token}` }) => app.inject({ url, headers })

  assert.equal((await get('/music/v1/track?id=attic:1')).json().data.title, 'attic 1')
  assert.equal((await get('/music/v1/track?id=attic:1', {})).statusCode, 401)
  assert.deepEqual((await get('/lamp?floor=2')).json(), { floor: 2 })
  assert.equal((await get('/lamp?floor=x')).statusCode, 400)
  const { albumList2 } = (await get(
    `/music/rest/getAlbumList2?type=alphabeticalByName&u=ann&p=${token}&v=1.16.1&c=test&f=json`
  )).json()['subsonic-response']
  assert.deepEqual(albumList2.album.map(({ name }) => name), ['Dawn of attic', 'Dawn of cellar'])
  const { paths } = app.swagger()
  assert.equal(paths['/lamp'].get.parameters[0].name, 'floor')
  assert.equal(paths['/music/v1/track'].get.operationId, 'music_getTrackDetail')
  assert.match((await get('/metrics')).body, /source_origin_operation_seconds_count\{operation="getTrackDetail",outcome="ok"\} 1/)
})
