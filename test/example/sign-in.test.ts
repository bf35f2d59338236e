import t, { type Test } from 'tap'
import { readSettings } from '../../example/start/settings.ts'
import { browserOf, host } from '../oidc/helper.ts'
import { startProvider } from '../oidc/provider.ts'
import { as, command, folder, startWith, tokenIn } from './helper.ts'

async function startSource (t: Test, settings: Record<string, string> = {}) {
  const DATA_DIR = folder(t)
  const provider = await startProvider(t)
  const source = await startWith(t, {}, {
    DATA_DIR, PAGE: 'true', OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'music', ...settings
  })
  const browser = browserOf(source.app)
  const signIn = async (authorization?: string) =>
    browser.callback(await browser.begin({ ...authorization !== undefined && { authorization } }))
  const nameOf = async (token: string) => (await as(source, token).data('/v1/user/me')).nickname
  return { source, provider, run: (...args: string[]) => command(DATA_DIR, args), ...browser, signIn, nameOf }
}

const linkIn = (response: { headers: { location?: string | undefined } }) =>
  response.headers.location!.split('#token=')[1]!

t.test('only accounts that a person has connected sign in, and unbind ends that', async t => {
  const { source, run, signIn, exchange, nameOf } = await startSource(t)
  const refused = await signIn()
  t.match([refused.statusCode, refused.body], [403, 'You have no account here'])
  await source.app.listen({ host: '127.0.0.1', port: 0 })
  const token = tokenIn(await run('add', 'Ann'))
  t.equal((await signIn(token)).headers.location, `http://${host}/`)
  t.equal(await nameOf(await exchange(linkIn(await signIn()))), 'Ann')
  t.match(await run('list'), /^ {2}"ann-1" at http:\S+, valid until \d{4}-/m)
  await t.rejects(run('unbind', 'ann', 'bob'), { message: 'Ann is not bound to "bob"' })
  await t.rejects(run('unbind', 'ann'), { message: 'Ann is not bound to ""' })
  t.match(await run('unbind', 'ann', 'ann-1'), 'Ann is no longer bound to "ann-1" at http')
  t.equal((await signIn()).statusCode, 403)
  t.equal((await as(source, token).call('/v1/status')).statusCode, 200)
})

t.test('new people get accounts whose names pass the checks of new names', async t => {
  const { provider, run, signIn, exchange, nameOf } = await startSource(t, { OIDC_NEW_ACCOUNTS: 'true' })
  t.equal(await nameOf(await exchange(linkIn(await signIn()))), 'ann')
  t.match(await run('list'), /^ann$/m)
  for (const name of ['owner', 'OWNER', '0wner', 'ann', '', '-a', 'a\u200b', 'x'.repeat(300), undefined]) {
    provider.answers.person = { sub: 'bob-1', preferred_username: name }
    t.equal((await signIn()).statusCode, 403, String(name).slice(0, 10))
  }
  await run('remove', 'ann', 'ann')
  provider.answers.person = { sub: 'ann-1', preferred_username: 'anna' }
  t.equal(await nameOf(await exchange(linkIn(await signIn()))), 'anna', 'a removed account is not bound any more')
})

t.test('groups decide who signs in, and who is the owner', async t => {
  const { source, provider, signIn, exchange, nameOf } = await startSource(t, {
    OIDC_NEW_ACCOUNTS: 'true',
    OIDC_CLIENT_SECRET: 'a secret',
    OIDC_GROUP: 'music',
    OIDC_OWNER_GROUP: 'admins',
    OIDC_GROUPS_CLAIM: 'roles'
  })
  t.match((await signIn()).body, /needs the claim .*roles/)
  provider.answers.info = { roles: 'music' }
  t.equal((await signIn()).statusCode, 403)
  provider.answers.info = { roles: ['music'] }
  const token = await exchange(linkIn(await signIn()))
  t.equal(await nameOf(token), 'ann')
  provider.answers.info = { roles: [] }
  t.equal((await signIn()).statusCode, 403)
  t.equal((await as(source, token).call('/v1/status')).statusCode, 401)
  provider.answers.person = { sub: 'boss' }
  provider.answers.info = { roles: ['admins'] }
  t.equal(await nameOf(await exchange(linkIn(await signIn()))), 'owner')
  provider.answers.info = { roles: ['music'] }
  t.equal((await signIn()).statusCode, 403, 'nobody stays the owner without the group')
})

t.test('a proxy signs people in by its header and its secret', async t => {
  const { app } = await startWith(t, {}, {
    PAGE: 'true',
    PROXY_USER_HEADER: 'Remote-User',
    PROXY_USER_FROM: '10.0.0.0/8, 127.0.0.1, unix',
    PROXY_USER_SECRET: 'X-Secret: a-secret-of-the-proxy:1',
    OIDC_NEW_ACCOUNTS: 'true'
  })
  const statusWith = async (headers: Record<string, string>) =>
    (await app.inject({ method: 'POST', url: '/page/sign-in/header', headers })).statusCode
  t.equal(await statusWith({ 'remote-user': 'ann' }), 401)
  t.equal(await statusWith({ 'remote-user': 'ann', 'x-secret': 'a-secret-of-the-proxy:1' }), 200)
})

t.test('wrong settings are refused in a line', async t => {
  const refused = (env: Record<string, string>, message: RegExp) => t.throws(() => readSettings(env), { message })
  for (const OIDC_ISSUER of ['http://id.example', 'id', 'https://a@b', 'https://a?b', 'ftp://a']) {
    refused({ OIDC_ISSUER, OIDC_CLIENT_ID: 'a' }, /^OIDC_ISSUER must be/)
  }
  refused({ OIDC_ISSUER: 'https://id.example' }, /^OIDC_ISSUER needs OIDC_CLIENT_ID$/)
  refused({ OIDC_CLIENT_ID: 'a' }, /^OIDC_CLIENT_ID needs OIDC_ISSUER$/)
  refused({ PROXY_USER_HEADER: 'Remote-User' }, /^PROXY_USER_HEADER needs PROXY_USER_FROM$/)
  refused({ PROXY_USER_HEADER: 'a b' }, /^PROXY_USER_HEADER must be/)
  for (const PROXY_USER_FROM of ['loopback', '10.0.0.0/99', 'a']) refused({ PROXY_USER_FROM }, /^PROXY_USER_FROM must/)
  for (const PROXY_USER_SECRET of ['secret', 'X-Secret: short']) refused({ PROXY_USER_SECRET }, /^PROXY_USER_SECRET/)
  refused({ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'a', STATELESS: 'true' }, /STATELESS must be false/)
  t.match(readSettings({ OIDC_ISSUER: 'http://[::1]/a', OIDC_CLIENT_ID: 'a' }), { OIDC_LABEL: 'OpenID Connect' })
})
