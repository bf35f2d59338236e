import { memoryAccountStore, type AccountOf, type AccountStore } from 'fastify-source-origin/accounts'
import { EventEmitter, once } from 'node:events'
import { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { start, statusOf } from './helper.ts'
import { startProvider } from './provider.ts'

const day = 24 * 3_600_000

const inMusic: AccountOf = ({ claims, account, bind }) =>
  claims.groups === 'music' ? account ?? bind(String(claims.preferred_username)) : null

/** A server with one signed-in person. `nextDay` moves the clock by a day. */
async function signedIn (t: Test) {
  const memory = memoryAccountStore()
  const saves = new EventEmitter()
  const store: AccountStore = {
    ...memory,
    withLock: (name, run) => memory.withLock(name, () => run(store)),
    async saveBinding (...binding) {
      const isSaved = await memory.saveBinding!(...binding)
      saves.emit('saved')
      return isSaved
    }
  }
  const provider = await startProvider(t)
  Object.assign(provider.answers, { refreshToken: 'refresh-1', info: { groups: 'music' } })
  const lines = new Writable({ write (line, _encoding, done) { lines.emit('line', String(line)); done() } })
  const oidc = { accountOf: inMusic, scope: 'openid offline_access' }
  const started = await start(t, { provider, oidc, store, server: { logger: { level: 'warn', stream: lines } } })
  const token = await started.signIn()
  const binding = async () => (await started.accounts.identities!.list('ann'))[0]
  const realNow = Date.now
  let later = 0
  t.intercept(Date, 'now', { value: () => realNow() + later })
  /** Uses the token a day later, without the cached look-up. */
  const use = async () => {
    later += day + 1000
    await started.accounts.revoke('clears the cache')
    return statusOf(started.app, token)
  }
  const logged = async () => String((await once(lines, 'line'))[0])
  const saved = () => once(saves, 'saved')
  return { ...started, token, binding, use, saved, logged, memory, pass: (time: number) => { later += time } }
}

t.test('with offline_access a used account is checked once a day, and renewed', async t => {
  const { use, provider, binding, saved, accounts, token } = await signedIn(t)
  const before = (await binding())!
  const { tokens } = provider.counts
  const claimed = saved()
  t.equal(await use(), 200)
  await claimed
  await saved()
  const after = (await binding())!
  t.ok(after.validUntil > before.validUntil)
  t.equal(accounts.identities!.refreshTokenOf(after), 'refresh-1')
  t.equal(provider.counts.tokens, tokens + 1)
  await accounts.revoke('clears the cache')
  t.ok(await accounts.find(token))
  t.equal(provider.counts.tokens, tokens + 1, 'at most once a day')
})

t.test('a lost group ends the account at the next check', async t => {
  const { use, provider, app, token, logged } = await signedIn(t)
  provider.answers.info = {}
  const log = logged()
  t.equal(await use(), 200)
  t.match(await log, /account check failed.*|.*groups.*/)
  t.equal(await statusOf(app, token), 401)
})

t.test('a person whom the provider has disabled loses the account at the next check', async t => {
  const { use, provider, app, token, logged, signIn } = await signedIn(t)
  provider.answers.refreshToken = 'another'
  const log = logged()
  t.equal(await use(), 200)
  const line = await log
  t.match(line, 'The provider rejects the person')
  t.notMatch(line, 'refresh-1')
  t.equal(await statusOf(app, token), 401)
  await signIn()
  t.equal(await statusOf(app, token), 200, 'signing in again restores it')
})

t.test('the provider that names another person at a check ends the account', async t => {
  const { use, provider, app, token, logged } = await signedIn(t)
  provider.answers.person = { sub: 'bob-1' }
  const log = logged()
  await use()
  await log
  t.equal(await statusOf(app, token), 401)
})

t.test('while the provider is down the account stays, and the check is repeated after an hour', async t => {
  const { use, provider, app, token, logged, accounts, pass } = await signedIn(t)
  provider.answers.isDown = true
  const log = logged()
  t.equal(await use(), 200)
  t.match(await log, 'cannot be reached')
  t.equal(await statusOf(app, token), 200)
  await accounts.revoke('clears the cache')
  t.equal(await statusOf(app, token), 200)
  provider.answers.tokenError = 'server_error'
  provider.answers.isDown = false
  const again = logged()
  pass(3_600_001)
  await accounts.revoke('clears the cache')
  t.equal(await statusOf(app, token), 200)
  t.match(await again, 'server_error')
})

t.test('a refresh without new tokens renews the account by the user info', async t => {
  const { use, provider, binding, saved, accounts } = await signedIn(t)
  provider.answers.refresh = ({ id_token: _, refresh_token: _refresh, ...answer }) => answer
  const claimed = saved()
  await use()
  await claimed
  await saved()
  t.equal(accounts.identities!.refreshTokenOf((await binding())!), 'refresh-1')
})

t.test('an account is not checked without its refresh token, or while another replica checks it', async t => {
  const { use, provider, binding, saved, memory, accounts } = await signedIn(t)
  const { tokens } = provider.counts
  const { version, ...known } = (await binding())!
  await memory.saveBinding!(known, { ...known, encrypted: Buffer.from('of an older secret') }, version)
  const claimed = saved()
  await use()
  await claimed
  await accounts.identities!.unbind(known)
  t.equal(provider.counts.tokens, tokens)
})

t.test('an account of another provider is not checked at this one', async t => {
  const { use, provider, binding, accounts, logged } = await signedIn(t)
  const known = (await binding())!
  await accounts.identities!.unbind(known)
  await accounts.identities!.admit({
    identity: { issuer: 'https://other.example', subject: '1' },
    claims: {},
    accountOf: ({ bind }) => bind('ann', { existing: true }),
    lifetime: 30 * day,
    refreshToken: 'of the other'
  })
  const { tokens } = provider.counts
  const log = logged()
  t.equal(await use(), 200)
  t.match(await log, 'another provider')
  t.equal(provider.counts.tokens, tokens)
})
