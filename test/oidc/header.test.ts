import fastify from 'fastify'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import type { SourcePageOptions, TrustedHeader } from 'fastify-source-origin/page'
import serveSource from 'fastify-source-origin/serve'
import { mkdtemp, rm } from 'node:fs/promises'
import { request, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { warnOfGateway } from '../../lib/page/sign-in/register-header.ts'
import { secret } from './helper.ts'

interface Answer { readonly status: number, readonly headers: IncomingHttpHeaders, readonly body: string }

const accountOf: TrustedHeader['accountOf'] = ({ claims, account, bind }) => account ?? bind(String(claims.sub))

/** A server that listens, since injected requests have no socket. */
async function start (t: Test, header: Partial<TrustedHeader>, socketPath?: string) {
  const lines: string[] = []
  const stream = new Writable({ write (line, _encoding, done) { lines.push(String(line)); done() } })
  const accounts = createAccounts({ store: memoryAccountStore(), secret, tokens: { owner: 'a token of the owner' } })
  const app = fastify({ logger: { level: 'warn', stream }, trustProxy: true })
  t.teardown(() => app.close())
  const page: SourcePageOptions = {
    signIn: { header: { name: 'Remote-User', from: ['127.0.0.1'], accountOf, ...header } }
  }
  await app.register(serveSource, {
    accounts, adapter: () => ({ getNewTracks: () => [] }), protection: {}, page
  })
  await app.listen(socketPath === undefined ? { host: '127.0.0.1', port: 0 } : { path: socketPath })
  const place: RequestOptions = socketPath === undefined
    ? { host: '127.0.0.1', port: (app.server.address() as AddressInfo).port }
    : { socketPath }
  const send = (headers: Record<string, string | string[]>, path = '/page/sign-in/header') =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request({ ...place, method: 'POST', path, headers, agent: false }, response => {
        const { statusCode: status = 0, headers } = response
        text(response).then(body => resolve({ status, headers, body }), reject)
      })
      sent.on('error', reject).end()
    })
  return { app, accounts, lines, send }
}

const tokenIn = ({ body }: Answer) => (JSON.parse(body) as { data: { token: string } }).data.token

t.test('a person whom the proxy names gets a link for a token of the browser, each time for the same account',
  async t => {
    const { send, accounts } = await start(t, {})
    const response = await send({ 'Remote-User': 'ann' })
    t.match(response, { status: 200, headers: { 'cache-control': 'no-store' } })
    const link = tokenIn(response)
    const token = await accounts.signIn(link)
    t.match(await accounts.find(token!), { id: 'ann' })
    t.equal(await accounts.signIn(link), null)
    const found = async (name: string) => {
      const link = tokenIn(await send({ 'remote-user': name }))
      return accounts.find((await accounts.signIn(link))!)
    }
    t.match(await found('ann'), { id: 'ann' })
    t.match(await found(Buffer.from('Müller').toString('latin1')), { id: 'Müller' })
  })

t.test('a header that is not exactly one value is ignored', async t => {
  const { send, accounts } = await start(t, {})
  const values = ['', 'ann, bob', ['ann', 'bob'], ['ann', 'ann'], ['', 'ann'], 'x'.repeat(256)]
  for (const value of values) t.equal((await send({ 'remote-user': value })).status, 401, String(value).slice(0, 9))
  t.equal((await send({})).status, 401)
  t.strictSame(await accounts.identities!.list('ann'), [])
})

t.test('a header of another address is ignored, counted and logged once, whatever X-Forwarded-For is', async t => {
  const { send, lines } = await start(t, { from: ['192.0.2.1', '2001:db8::/32', 'unix'] })
  const headers = { 'remote-user': 'owner', 'x-forwarded-for': '192.0.2.1' }
  for (const user of ['owner', 'ann', 'bob']) t.equal((await send({ ...headers, 'remote-user': user })).status, 401)
  const ignored = lines.filter(line => line.includes('trusted header ignored'))
  t.equal(ignored.length, 1)
  t.match(JSON.parse(ignored[0]!), { peer: '127.0.0.1', header: 'Remote-User' })
  let status = 0
  for (let count = 0; count < 100 && status !== 429; count++) {
    status = (await send({ ...headers, 'remote-user': `user ${count}` })).status
  }
  t.equal(status, 429)
})

t.test('the header has no effect on other routes', async t => {
  const { app } = await start(t, {})
  const headers = { 'remote-user': 'ann' }
  t.equal((await app.inject({ url: '/v1/status', headers })).statusCode, 401)
  t.equal((await app.inject({ url: '/page/app-passwords', headers })).statusCode, 401)
})

t.test('a second header with a secret is required if it is set', async t => {
  const value = 'a secret of the proxy'
  const { send } = await start(t, { secret: { name: 'X-Proxy-Secret', value } })
  t.equal((await send({ 'remote-user': 'ann', 'x-proxy-secret': value })).status, 200)
  t.equal((await send({ 'remote-user': 'ann' })).status, 401)
  t.equal((await send({ 'remote-user': 'ann', 'x-proxy-secret': 'wrong' })).status, 401)
  t.equal((await send({ 'remote-user': 'ann', 'x-proxy-secret': [value, value] })).status, 401)
})

t.test('without accountOf only bound persons may sign in, and a page of another site may not', async t => {
  const { send, accounts } = await start(t, { accountOf: undefined })
  t.equal((await send({ 'remote-user': 'ann' })).status, 403)
  await accounts.identities!.admit({
    identity: { issuer: 'header:remote-user', subject: 'ann' },
    claims: {},
    accountOf: ({ bind }) => bind('anna'),
    lifetime: 60_000
  })
  t.equal((await send({ 'remote-user': 'ann' })).status, 200)
  t.equal((await send({ 'remote-user': 'ann', 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal((await send({ 'remote-user': 'ann', origin: 'https://evil.example' })).status, 403)
})

t.test('a proxy at a Unix socket is trusted as unix, and not as an address', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'header-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const trusting = await start(t, { from: ['unix'] }, join(folder, 'one'))
  t.equal((await trusting.send({ host: 'a.example', 'remote-user': 'ann' })).status, 200)
  const other = await start(t, { from: ['127.0.0.1', '::/0', '0.0.0.0/0'] }, join(folder, 'two'))
  t.equal((await other.send({ host: 'a.example', 'remote-user': 'ann' })).status, 401)
  t.match(other.lines.find(line => line.includes('ignored')), '"peer":"unix"')
})

t.test('addresses and networks of both families are matched', async t => {
  const cases = [
    [['127.0.0.0/8'], 200], [['::ffff:127.0.0.1'], 200], [['10.0.0.0/8', '127.0.0.1'], 200], [['0.0.0.0/0'], 200],
    [['127.0.0.2'], 401], [['127.0.1.0/24'], 401], [['::1'], 401], [['::/0'], 401], [['unix'], 401]
  ] as const
  for (const [from, status] of cases) {
    const { send } = await start(t, { from })
    t.equal((await send({ 'remote-user': 'ann' })).status, status, from.join())
  }
})

t.test('a trusted default gateway is warned of at the start', async t => {
  const route = (destination: string, gateway: string) => `eth0\t${destination}\t${gateway}\t0003`
  const table = [
    'Iface\tDestination\tGateway', route('00000000', '010011AC'), route('000011AC', '00000000'),
    route('00000000', '00000000'), '', 'lo\t00000000'
  ].join('\n')
  const folder = t.testdir({ table })
  const warned: unknown[] = []
  const log = Object.assign(fastify().log, { warn: (facts: unknown) => { warned.push(facts) } })
  await warnOfGateway(log, ['172.17.0.0/16'], join(folder, 'table'))
  t.strictSame(warned, [{ gateway: '172.17.0.1' }])
  await warnOfGateway(log, ['172.17.0.2'], join(folder, 'table'))
  await warnOfGateway(log, ['0.0.0.0/0'], join(folder, 'missing'))
  t.equal(warned.length, 1)
})

t.test('options are checked', async t => {
  const wrong: Partial<Record<keyof TrustedHeader, unknown>>[] = [
    { name: 'a b' }, { name: 7 }, { from: [] }, { from: ['music.example'] }, { from: ['10.0.0.0/40'] }, { from: [7] },
    { from: '10.0.0.1' }, { secret: 'a secret of the proxy' }, { secret: { name: 'a b', value: 'x'.repeat(16) } },
    { secret: { name: 'a', value: 'short' } }, { secret: { name: 'a', value: 7 } }, { accountOf: 'x' },
    { signOutUrl: '/logout' }, { signOutUrl: 7 }, { signOutUrl: 'https://' }
  ]
  for (const options of wrong) {
    const [name] = Object.keys(options)
    await t.rejects(start(t, options as Partial<TrustedHeader>), {
      code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: new RegExp(`signIn\\.header\\.${name}`)
    })
  }
  t.ok(await start(t, { signOutUrl: 'https://proxy.example/logout' }))
})
