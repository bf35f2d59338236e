import fastify from 'fastify'
import { createSourceRouter } from 'fastify-source-origin'
import { createSourceCache } from 'fastify-source-origin/cache'
import { createSigner } from 'fastify-source-origin/media'
import { createUpstream } from 'fastify-source-origin/upstream'
import { once } from 'node:events'
import t from 'tap'

const code = 'SOURCE_ORIGIN_WARN_ODD_OPTION'
const keys = [Buffer.alloc(32)]
const resolveContext = () => null

for (const [option, words, start] of [
  ['adapterTimeout', 'is 30 milliseconds: if seconds are meant, multiply by 1000', async () => {
    await fastify().register(createSourceRouter({ resolveContext, adapterTimeout: 30 }))
  }],
  ['timeout', 'is 8 milliseconds: if seconds are meant, multiply by 1000', () => {
    createUpstream({ baseUrl: 'https://upstream.example', timeout: 8 })
  }],
  ['ttl', 'is 250 days, in milliseconds', () => { createSigner({ keys, ttl: 21_600_000_000 }) }],
  ['maxAge', 'is 60 milliseconds: if seconds are meant, multiply by 1000', () => { createSourceCache({ maxAge: 60 }) }]
] as const) {
  t.test(`${option} in the wrong unit: one warning in development, and it holds`, async t => {
    process.env.NODE_ENV = 'production'
    await start()
    delete process.env.NODE_ENV
    const warned = once(process, 'warning')
    await start()
    await start()
    const [warning] = await warned
    t.match(warning, { code, message: `Option "${option}" ${words}` })
    process.on('warning', t.fail)
    await new Promise(setImmediate)
    process.off('warning', t.fail)
  })
}
