import { addLink, type AddLinkOptions } from 'fastify-source-origin/accounts'
import t from 'tap'

const options = { host: 'https://music.example:8443', token: 'so_1', name: 'Ünsere Musik 🎵' }

t.test('the link holds host, token and name, in base64url', async t => {
  const link = addLink(Object.freeze(options))
  const prefix = 'aduoer://origin/add?auth='
  t.ok(link.startsWith(prefix))
  t.match(link.slice(prefix.length), /^[\w-]+$/)
  t.equal(Buffer.from(
    link.slice(prefix.length), 'base64url'
  ).toString(), 'type=wow&host=https://music.example:8443&token=so_1&name=Ünsere Musik 🎵')
})

t.test('an empty name stays', async t => {
  t.equal(Buffer.from(
    addLink({ ...options, name: '' }).split('auth=')[1]!, 'base64url'
  ).toString(), 'type=wow&host=https://music.example:8443&token=so_1&name=')
})

for (const [name, value] of [[
  'host', 'music.example'
], ['host', 'https://a&b'], ['host', 7], ['token', 'a&b'], ['token', undefined], ['name', 'you & me']] as const) {
  t.test(`${name} ${JSON.stringify(value)}: refused by name`, async t => {
    t.throws(() => addLink({ ...options, [name]: value } as AddLinkOptions), {
      code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: `Option "${name}"`
    })
  })
}

t.test('an unknown option is refused', async t => {
  t.throws(() => addLink({ ...options, names: '' } as AddLinkOptions), {
    code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION', message: 'did you mean "name"?'
  })
})
