import fastify from 'fastify'
import t from 'tap'
import { hasPage, originOf, signInLinks } from '../../../example/start/addresses.ts'
import { readSettings } from '../../../example/start/settings.ts'

t.test('without PUBLIC_URL a source is on this machine, at its port or at the one that it listens to', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const settings = readSettings({ PORT: '1234' })
  t.equal(originOf(settings), 'http://localhost:1234')
  t.equal(originOf(settings, app), 'http://localhost:1234')
  await app.listen({ port: 0 })
  const { port } = app.server.address() as { port: number }
  t.equal(originOf(settings, app), `http://localhost:${port}`)
})

t.test('links begin with PUBLIC_URL where it is set, and have the token behind the #', async t => {
  const settings = readSettings({ PUBLIC_URL: 'https://music.example.org/home/' })
  t.equal(signInLinks(settings)('a&b'), 'https://music.example.org/home/#token=a%26b')
})

for (const [env, isThere] of [
  [{}, true], [{ NODE_ENV: 'production' }, false], [{ NODE_ENV: 'production', PAGE: 'true' }, true],
  [{ PAGE: 'false' }, false]
] as const) {
  t.test(`${JSON.stringify(env)}: there is ${isThere ? 'a' : 'no'} page to open`, async t => {
    t.equal(hasPage(readSettings(env)), isThere)
    t.equal(signInLinks(readSettings(env))('token') !== undefined, isThere)
  })
}
