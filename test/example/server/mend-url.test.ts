import fastify from 'fastify'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { serveFolder } from '../../../example/serve-folder.ts'
import { options } from '../../../example/server/server-options.ts'
import { mendUrl } from '../../../example/server/mend-url.ts'
import { readSettings } from '../../../example/start/settings.ts'
import { logged } from '../../helper.ts'
import { demo, folder, token } from '../helper.ts'

const secret = 'the-secret-of-a-query'
const { lines, logger } = logged()
const app = fastify({ ...options, logger, pluginTimeout: 0 })
t.before(async () => {
  const settings = { MUSIC_DIR: demo, DATA_DIR: folder(t), SOURCE_API_TOKEN: token, NODE_ENV: 'production' }
  await app.register(async instance => serveFolder(instance, readSettings(settings)))
  await app.listen({ port: 0, host: '127.0.0.1' })
})
t.teardown(() => app.close())

async function ask (line: string, authorization = '') {
  const socket = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.end(`${line} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${authorization}\r\n`)
  const answer = await text(socket)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(answer.slice(9, 12)), head, body }
}

for (const path of ['/v1/%', '/v1/%ff', '/v1/track%zz/new', 'http://a/v1/%', `/v1/${'%'.repeat(9)}`]) {
  t.test(`${path} is a path that does not exist: 401, or 404 with the token, as all answers are`, async t => {
    const { status, head, body } = await ask(`GET ${path}?p=${secret}`)
    t.equal(status, 401)
    t.strictSame(Object.keys(JSON.parse(body)), ['code', 'message', 'data'])
    t.match(head, /x-content-type-options: nosniff/i)
    t.match(head, /x-request-id: /i)
    t.notMatch(body, secret)
    t.equal((await ask(`GET ${path}`, `authorization: ${token}\r\n`)).status, 404)
  })
}

t.test('/rest answers them in its envelope', async t => {
  const { status, body } = await ask(`GET /rest/ping%?u=ada&p=${secret}&f=json`)
  t.equal(status, 200)
  t.equal(JSON.parse(body)['subsonic-response'].error.code, 40)
  t.notMatch(body, secret)
  const right = await ask(`GET /rest/ping%?u=ada&p=enc:${Buffer.from(token).toString('hex')}&f=json`)
  t.match(JSON.parse(right.body)['subsonic-response'].error.message, /Unknown method/)
})

t.test('a part of a path may be as long as a URL', async t => {
  const { status, body } = await ask(`GET /media/audio/${'a'.repeat(9000)}/b.mp3?expires=1&sig=${secret}`)
  t.equal(status, 403)
  t.notMatch(body, secret)
})

t.test('a request without a path is answered, and no query and no login of a URL is in the log', async t => {
  t.equal((await ask('OPTIONS *')).status >= 400, true)
  t.equal((await ask(`GET http://ada:${secret}@a/v1/status`, `authorization: ${token}\r\n`)).status, 200)
  t.notMatch(JSON.stringify(lines), secret)
})

for (const [prefix, url, mended] of [
  ['/music', '/rest/ping?p=secret', '/rest/ping'],
  ['/music', '/musical?p=secret', '/musical'],
  ['/music', '/music/rest/ping?p=secret', '/music/rest/ping?p=secret'],
  ['/music', '//Music/rest/ping?p=secret', '//Music/rest/ping?p=secret'],
  ['/music', '/music?p=secret', '/music?p=secret'],
  ['/music/', '/music/?p=secret', '/music/?p=secret'],
  ['/music/', '/music?p=secret', '/music'],
  ['music', '/music/x?p=secret', '/music/x?p=secret'],
  ['/music', 'http://a.example/music/x?p=secret', 'http://a.example/music/x?p=secret'],
  ['/music', '/%?p=secret', '/%25'],
  ['/music', '/%6dus%69c/rest/ping?p=secret', '/%6dus%69c/rest/ping?p=secret'],
  ['/music', '/%256dusic/rest/ping?p=secret', '/%256dusic/rest/ping'],
  ['/music', '/%6dusic/%zz?p=secret', '/%256dusic/%25zz'],
  ['/mü', '/m%C3%BC/rest/ping?p=secret', '/m%C3%BC/rest/ping?p=secret'],
  ['', '/rest/ping?p=secret', '/rest/ping?p=secret']
] as const) {
  t.test(`${url} below ${prefix || '/'} becomes ${mended}`, async t => {
    t.intercept(process, 'env', { value: { ...process.env, FASTIFY_PREFIX: prefix } })
    t.equal(mendUrl({ url }), mended)
  })
}

t.test('what is beside FASTIFY_PREFIX is logged without its query', async t => {
  const log = logged()
  const app = fastify({ ...options, logger: log.logger })
  t.teardown(() => app.close())
  t.intercept(process, 'env', { value: { ...process.env, FASTIFY_PREFIX: '/music' } })
  t.equal((await app.inject('/rest/ping?p=secret')).statusCode, 404)
  t.match(JSON.stringify(log.lines), 'rest/ping')
  t.notMatch(JSON.stringify(log.lines), 'secret')
})
