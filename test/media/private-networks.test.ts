import dns, { type LookupAddress, type LookupOptions } from 'node:dns'
import t, { type Test } from 'tap'
import { MockAgent } from 'undici'
import { askUpstream, createConnections } from '../../lib/media/ask-upstream.ts'
import { hostMatcher } from '../../lib/text/host-list.ts'
import { publicLookup } from '../../lib/media/public-addresses.ts'
import { replaceExports } from '../replace.ts'
import { difference, song, startProxy, startUpstream, type Behaviour } from './helper.ts'

const content = song(1000)

/** URLs for PORT, where an upstream listens on the loopback address. */
const refused: Record<string, [url: string, hosts: string[], reason: RegExp, allowPrivate?: boolean]> = {
  'an address': ['https://127.0.0.1:PORT/', ['127.0.0.1:PORT'], /in a private network/],
  'an address as one number': ['https://2130706433:PORT/', ['127.0.0.1:PORT'], /in a private network/],
  'an address in hexadecimal': ['https://0x7f.1:PORT/', ['0x7f.1:PORT'], /in a private network/],
  'an IPv6 address': ['https://[::1]:PORT/', ['[::1]:PORT'], /in a private network/],
  'an IPv4 address in IPv6': ['https://[::ffff:127.0.0.1]:PORT/', ['[::ffff:127.0.0.1]:PORT'], /in a private network/],
  'an IPv4 address behind zeros': ['https://[::127.0.0.1]:PORT/', ['[::127.0.0.1]:PORT'], /in a private network/],
  'a name that resolves there': ['https://localhost:PORT/', ['localhost:PORT'], /localhost is in a private network/],
  'http, unless it is allowed': ['http://127.0.0.1:PORT/', ['127.0.0.1:PORT'], /has no https, which only/],
  'another scheme': ['ftp://127.0.0.1:PORT/', ['127.0.0.1:PORT'], /ftp:\/\/.* is not a URL that "resolve" may return/, true],
  'a user and password': ['http://user:secret@127.0.0.1:PORT/', ['127.0.0.1:PORT'], /no user and password/, true],
  'a user': ['http://user@127.0.0.1:PORT/', ['127.0.0.1:PORT'], /no user and password/, true],
  'a password': ['http://:secret@127.0.0.1:PORT/', ['127.0.0.1:PORT'], /no user and password/, true],
  'a host that is not in the list': [
    'http://127.0.0.1:PORT/', ['localhost:PORT', '*.0.0.1:PORT'], /not in the option "hosts"/, true
  ],
  'a port that is not in the list': ['http://127.0.0.1:PORT/', ['127.0.0.1'], /not in the option "hosts"/, true],
  'what is no URL': ['127.0.0.1:secret', ['127.0.0.1:PORT'], /not a URL/, true]
}
for (const [what, [url, hosts, reason, allowPrivate = false]] of Object.entries(refused)) {
  t.test(`no connection goes to ${what}, and only the log tells why`, async t => {
    const upstream = await startUpstream(t, content)
    const port = upstream.host.split(':')[1]!
    const { load, lines } = await startProxy(t, upstream, {
      resolve: () => ({ url: url.replace('PORT', port) + '?secret=1' }),
      hosts: hosts.map(host => host.replace('PORT', port)),
      allowPrivate
    })
    const { status, body } = await load()
    t.equal(status, 502)
    t.strictSame(JSON.parse(body.toString()), { code: 502, message: 'The upstream failed', data: null })
    t.equal(upstream.connections(), 0)
    t.match(lines.find(({ err }) => err)!.err.message, reason)
    t.notMatch(JSON.stringify(lines), 'secret')
  })
}

const redirect = (location: string): Behaviour => ({ status: 302, headers: { location } })

t.test('redirects are followed, and headers stay with the origin that they are for', async t => {
  const other = await startUpstream(t, content, ({ url }) => url === '/away' ? redirect(`${first.origin}/back`) : {})
  const first = await startUpstream(t, content, ({ url }) =>
    url === '/song' ? redirect('/here') : url === '/here' ? redirect(`${other.origin}/away`) : {})
  const { load } = await startProxy(t, first, {
    resolve: () => ({ url: `${first.origin}/song`, headers: { cookie: 'a=b' } }), hosts: [first.host, other.host]
  })
  const { status, body } = await load({ range: 'bytes=5-9' })
  t.equal(status, 206)
  t.equal(difference(body, content.subarray(5, 10)), '')
  t.match(first.requests, ['/song', '/here', '/back'].map(url =>
    ({ url, headers: { cookie: 'a=b', range: 'bytes=5-9' } })))
  t.match(other.requests, [{ url: '/away', headers: { cookie: undefined, range: 'bytes=5-9' } }])
})

t.test('a redirect to a host that is not in the list is not followed', async t => {
  const other = await startUpstream(t, content)
  const { load } = await startProxy(t, await startUpstream(t, content, () => redirect(`${other.origin}/song`)))
  const { status, headers } = await load()
  t.equal(status, 502)
  t.equal(headers.location, undefined)
  t.equal(other.connections(), 0)
})

for (const [count, status] of [[5, 200], [6, 502]] as const) {
  t.test(`${count} redirects are ${status}`, async t => {
    const upstream = await startUpstream(t, content, (_request, nth) => nth <= count ? redirect(`/${nth}`) : {})
    t.equal((await (await startProxy(t, upstream)).load()).status, status)
    t.equal(upstream.requests.length, 6)
  })
}

t.test('a redirect to nowhere is 502', async t => {
  t.equal((await (await startProxy(t, await startUpstream(t, content, () => ({ status: 302 })))).load()).status, 502)
})

for (const target of [
  'https://localhost:PORT/song', 'https://127.0.0.1:PORT/song', 'https://[::ffff:7f00:1]:PORT/song'
]) {
  t.test(`a public host that redirects to ${target} gets no connection there`, async t => {
    const upstream = await startUpstream(t, content)
    const location = target.replace('PORT', upstream.host.split(':')[1]!)
    const settings = { timeout: 1000, allowPrivate: false, isListed: () => true }
    const real = await createConnections(settings).open()
    t.teardown(() => Promise.all([real.destroy(), mock.close()]))
    const mock = new MockAgent()
    const agent = real.compose(dispatch => (options, handler) =>
      options.origin === 'https://cdn.example' ? mock.dispatch(options, handler) : dispatch(options, handler))
    mock.get('https://cdn.example').intercept({ path: '/song' }).reply(302, '', { headers: { location } })
    const connections = { open: async () => agent, close: async () => {} }
    await t.rejects(askUpstream(
      { ...settings, connections }, { url: 'https://cdn.example/song' }, {}, new AbortController().signal
    ), {
      status: 502, cause: { message: /in a private network/ }
    })
    t.equal(upstream.connections(), 0)
  })
}

/** What a look-up for a socket gives, of a name with these addresses. */
function lookUp (t: Test, addresses: LookupAddress[] | Error, options: LookupOptions) {
  const lookup: any = (_name: string, _options: object, done: (...result: unknown[]) => void) =>
    addresses instanceof Error ? done(addresses) : done(null, addresses)
  replaceExports(t, dns, { lookup })
  return new Promise((resolve, reject) =>
    publicLookup('cdn.example', options, (error, ...result) => error ? reject(error) : resolve(result)))
}
const open = [{ address: '203.0.114.1', family: 4 }, { address: '2606:4700::1', family: 6 }]

t.test('sockets go to the addresses that were checked', async t => {
  t.strictSame(await lookUp(t, open, { all: true }), [open])
  t.strictSame(await lookUp(t, open, {}), ['203.0.114.1', 4])
})

t.test('a name that cannot be looked up says so', t =>
  t.rejects(lookUp(t, new Error('ENOTFOUND'), {}), { message: 'ENOTFOUND' }))

for (const address of [
  '10.0.0.1', '172.16.0.1', '192.168.0.1', '127.0.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1',
  '255.255.255.255', '198.18.0.1',
  '::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'ff02::1', '::ffff:10.0.0.1', '::7f00:1', '64:ff9b::a00:1',
  '4000::1', '2002:a00:1::', '2001::1', '2001:db8::1'
]) {
  t.test(`a name with the address ${address} among others is refused`, t =>
    t.rejects(lookUp(t, [...open, { address, family: address.includes(':') ? 6 : 4 }], { all: true }), {
      message: /in a private network/
    }))
}

const matches: [host: string, url: string, matches: boolean][] = [
  ['cdn.example', 'https://cdn.example/a', true],
  ['cdn.example', 'https://cdn.example:443/a', true],
  ['cdn.example:443', 'https://cdn.example/a', true],
  ['cdn.example', 'https://cdn.example:8443/a', false],
  ['cdn.example:8443', 'https://cdn.example:8443/a', true],
  ['cdn.example:8443', 'https://cdn.example/a', false],
  ['cdn.example:80', 'http://cdn.example/a', true],
  ['cdn.example:80', 'https://cdn.example/a', false],
  ['CDN.Example', 'https://cdn.EXAMPLE/a', true],
  ['bücher.example', 'https://xn--bcher-kva.example/a', true],
  ['cdn.example', 'https://cdn.example./a', false],
  ['cdn.example', 'https://a.cdn.example/a', false],
  ['cdn.example', 'https://evilcdn.example/a', false],
  ['*.cdn.example', 'https://a.cdn.example/a', true],
  ['*.cdn.example', 'https://a.b.cdn.example/a', true],
  ['*.cdn.example', 'https://cdn.example/a', false],
  ['*.cdn.example', 'https://evilcdn.example/a', false],
  ['*.cdn.example:8443', 'https://a.cdn.example:8443/a', true],
  ['*.cdn.example', 'https://a.cdn.example.evil.example/a', false],
  ['127.0.0.1', 'https://2130706433/a', true],
  ['[::1]:80', 'http://[0:0::1]/a', true]
]
for (const [host, url, is] of matches) {
  t.test(`${url} is ${is ? '' : 'not '}of the host ${host}`, async t => t.equal(hostMatcher([host])(new URL(url)), is))
}
