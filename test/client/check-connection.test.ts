import t from 'tap'
import { createSourceClient, type SourceClientOptions } from 'fastify-source-origin/client'

const good: SourceClientOptions = { baseUrl: 'https://music.example/prefix' }

const bad: [string, Record<string, unknown>][] = [
  ['baseUrl', { baseUrl: undefined }],
  ['baseUrl', { baseUrl: 'music.example' }],
  ['baseUrl', { baseUrl: 'https://music.example/v1/' }],
  ['baseUrl', { baseUrl: '/v1' }],
  ['baseUrl', { baseUrl: 'ftp://music.example' }],
  ['baseUrl', { baseUrl: 'https://user@music.example' }],
  ['baseUrl', { baseUrl: 'https://:secret@music.example' }],
  ['baseUrl', { baseUrl: 'https://music.example/?key=secret' }],
  ['baseUrl', { baseUrl: 'https://music.example/#' }],
  ['authorization', { authorization: 'secret\n' }],
  ['authorization', { authorization: 'secret→' }],
  ['authorization', { authorization: 7 }],
  ['baseUrl', { baseUrl: 'https:\\\\music.example' }],
  ['baseUrl', { baseUrl: 'https://[music.example' }],
  ['fetch', { fetch: 'fetch' }],
  ['timeout', { timeout: -1 }],
  ['timeout', { timeout: NaN }],
  ['timeout', { timeout: 2 ** 31 }],
  ['maxBody', { maxBody: 0 }],
  ['maxBody', { maxBody: NaN }]
]
for (const [name, options] of bad) {
  t.test(`${JSON.stringify(options)} is refused by name, without the value`, async t => {
    const create = () => createSourceClient({ ...good, ...options } as SourceClientOptions)
    t.throws(create, {
      name: 'TypeError', code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: new RegExp(`^Option "${name}" must be `)
    })
    try {
      create()
    } catch (error) {
      t.notMatch((error as Error).message, /secret/)
    }
  })
}

t.test('an empty authorization is none', async t => {
  let headers: unknown
  const client = createSourceClient({
    ...good,
    authorization: '',
    fetch: async (_url, init) => { headers = init?.headers; return Response.json({ code: 200, data: [] }) }
  })
  await client.getNewTracks()
  t.strictSame(headers, { accept: 'application/json' })
})
