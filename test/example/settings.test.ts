import { resolve } from 'node:path'
import t from 'tap'
import { readOrigins } from '../../example/start/read-origins.ts'
import { readSettings } from '../../example/start/settings.ts'
import { StartError } from '../../example/start/start-error.ts'

t.test('without any setting the defaults are used, with folders of the project', async t => {
  t.match(readSettings({}), {
    NODE_ENV: 'development',
    PORT: 3000,
    MUSIC_DIR: resolve('example/music'),
    DATA_DIR: resolve('data'),
    SOURCE_API_TOKEN: '',
    SCAN_INTERVAL: 900,
    PUBLIC_URL: '',
    MEDIA_TTL: 21600,
    CORS_ORIGIN: ''
  })
})

t.test('a blank setting is one that is not set', async t => {
  t.match(readSettings({ PORT: '', MEDIA_TTL: ' ', MUSIC_DIR: '' }), {
    PORT: 3000, MEDIA_TTL: 21600, MUSIC_DIR: resolve('example/music')
  })
})

t.test('a relative folder begins where the user called npm, a default one at the project', async t => {
  const settings = readSettings({ INIT_CWD: '/home/somebody', MUSIC_DIR: 'Music' })
  t.equal(settings.MUSIC_DIR, resolve('/home/somebody/Music'))
  t.equal(settings.DATA_DIR, resolve('data'))
  t.equal(readSettings({ MUSIC_DIR: 'Music' }).MUSIC_DIR, resolve('Music'))
  t.equal(settings.TRANSCODED_DIR, '')
  t.equal(readSettings({ TRANSCODED_DIR: 'made' }).TRANSCODED_DIR, resolve('made'))
})

t.test('the slash at the end of PUBLIC_URL goes', async t => {
  t.equal(readSettings({ PUBLIC_URL: 'https://music.example.com/here/' }).PUBLIC_URL, 'https://music.example.com/here')
})

for (const name of ['production', 'development', 'test']) {
  t.test(`NODE_ENV=${name} is accepted`, async t => {
    t.equal(readSettings({ NODE_ENV: name }).NODE_ENV, name)
  })
}

t.test('in production a token that can be guessed is refused, in one line for each', async t => {
  const tokens = { SOURCE_API_TOKEN: 'x'.repeat(15), METRICS_TOKEN: 'short' }
  t.throws(() => readSettings({ NODE_ENV: 'production', ...tokens }), new StartError(
    'SOURCE_API_TOKEN must have 16 characters at least: openssl rand -hex 32 makes one\n' +
    'METRICS_TOKEN must have 16 characters at least: openssl rand -hex 32 makes one'))
  t.match(readSettings(tokens), tokens)
  const long = { SOURCE_API_TOKEN: 'x'.repeat(16), METRICS_TOKEN: '' }
  t.match(readSettings({ NODE_ENV: 'production', ...long }), long)
})

t.test('origins are read as browsers send them', async t => {
  const origins = {
    'tauri://localhost': ['tauri://localhost'],
    'Capacitor://localhost,app://.,null': ['capacitor://localhost', 'app://.', 'null'],
    'chrome-extension://abc , moz-extension://1-2': ['chrome-extension://abc', 'moz-extension://1-2'],
    'file://': ['file://'],
    'HTTPS://Player.Example': ['https://player.example'],
    'https://a.example:443/, http://a.example:80, http://a.example:8080':
      ['https://a.example', 'http://a.example', 'http://a.example:8080'],
    'https://müsik.example': ['https://xn--msik-0ra.example'],
    ' * ': '*'
  }
  for (const [text, read] of Object.entries(origins)) {
    t.equal(readSettings({ CORS_ORIGIN: text }).CORS_ORIGIN, text)
    t.strictSame(readOrigins(text), read, text)
  }
})

for (const trust of ['true', 'false']) {
  t.test(`FASTIFY_TRUST_PROXY_ENABLED=${trust} is accepted`, async t => {
    t.equal(readSettings({ FASTIFY_TRUST_PROXY_ENABLED: trust }).FASTIFY_TRUST_PROXY_ENABLED, trust)
  })
}

for (const proxies of ['loopback, 10.0.0.0/8', '10.0.0.0/255.0.0.0', '::1,fd00::/8']) {
  t.test(`FASTIFY_TRUST_PROXY_IPS=${proxies} is accepted`, async t => {
    t.equal(readSettings({ FASTIFY_TRUST_PROXY_IPS: proxies }).FASTIFY_TRUST_PROXY_IPS, proxies)
  })
}

for (const env of [
  { REDIS_URL: 'redis://:p%40ss@cache:6379/1' }, { REDIS_URL: 'rediss://cache' }, { METRICS_ADDRESS: '[::1]:9464' },
  { FASTIFY_LOGGING_MODULE: 'pino' }, { FASTIFY_LOGGING_MODULE: './example/app.ts' }, { PUBLIC_URL: 'https://[::1]/a' }
]) {
  t.test(`${Object.entries(env)[0]!.join('=')} is accepted`, async t => {
    t.match(readSettings(env), env)
  })
}

const wrong: Record<string, string[]> = {
  NODE_ENV: ['prod.', 'Production', 'staging'],
  FASTIFY_TRUST_PROXY_ENABLED: ['yes', '1', 'TRUE'],
  FASTIFY_TRUST_PROXY_IPS: ['proxy.example', '10.9.0.0/33', '10.9.0.0/', '10.9.0.1,', '127.0.0.1;10.0.0.1', '*'],
  FASTIFY_TRUST_PROXY_HOP: ['one', '-1', '99999999999999999999'],
  FASTIFY_PORT: ['seven', '70000', '1.5'],
  FASTIFY_LOGGING_MODULE: ['no-such-package', './no-such-file.js'],
  METRICS_ADDRESS: ['127.0.0.1:99999', '[::1:1', '[fe80]:9'],
  REDIS_URL: [
    'localhost:6379', 'redis://cache:99999', 'redis://a:%zz@cache', 'redis://a:b/c@cache', 'redis://cache/one'
  ],
  FASTIFY_BODY_LIMIT: ['1mb', '-1', '1e99'],
  FASTIFY_PREFIX: ['*', '/:music', '/my music', '/music?a'],
  PORT: ['abc', '-1', '65536', '3.5'],
  SCAN_INTERVAL: ['15m', '-1', '604801', '1.5'],
  MEDIA_TTL: ['6h', '0', '99999999999'],
  TRANSCODED_SIZE: ['1 GB', '0', '63', '99999999999'],
  PUBLIC_URL: ['music.example.com', 'ftp://music.example.com', 'https://music.example.com/?a', 'https://',
    'https://[::1', 'https://music.example.com:99999', 'http://%zz/'],
  LISTENBRAINZ_URL: ['https://ann:secret@listens.example', 'https://@', 'ftp://listens.example'],
  LASTFM_URL: ['https://ann@listens.example/2.0'],
  CORS_ORIGIN: [
    'music.org', 'https://a.example.com/path', 'https://a.example.com, *', 'https://*.example.org', 'tauri://',
    'app://*', 'app://a/b', 'http://', 'https://ann@a.example', 'https://a.example?', 'https://a.example:99999',
    'https://a.example,'
  ],
  HSTS_MAX_AGE: ['1y', '-1', '1.5'],
  SOURCE_API_TOKEN: ['söme', ' blanks around ', 'a\tb']
}
for (const [name, values] of Object.entries(wrong)) {
  for (const value of values) {
    t.test(`${name}=${JSON.stringify(value)} is refused in one line that names it and not the value`, async t => {
      const error = t.throws(() => readSettings({ [name]: value })) as Error
      t.type(error, StartError)
      t.match(error.message, new RegExp(`^${name} must be .+$`))
      t.notMatch(error.message, value)
    })
  }
}

t.test('every wrong setting is named, a line each', async t => {
  t.throws(() => readSettings({ PORT: 'abc', MEDIA_TTL: 'abc' }), { message: /^PORT .*\nMEDIA_TTL .*$/ })
})
