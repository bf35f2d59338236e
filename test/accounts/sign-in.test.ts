import t from 'tap'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { deviceOf } from '../../lib/page/register-sign-in.ts'

const accountsWith = (store = memoryAccountStore()) =>
  createAccounts({ store, tokens: { owner: 'the fixed token' }, secret: Buffer.alloc(32, 1) })

t.test('a device gets a token of its own for one of the account, which both work', async t => {
  const accounts = accountsWith()
  const token = await accounts.issue('ann', { label: 'link' })
  const own = await accounts.signIn(`Bearer ${token}`, { label: 'Firefox' })
  t.not(own, token)
  for (const one of [token, own!]) t.match(await accounts.find(one), { id: 'ann' })
  t.same((await accounts.list('ann')).map(({ label }) => label), ['link', 'Firefox'])
})

t.test('a fixed token is given back, and what is no token is null', async t => {
  const accounts = accountsWith()
  t.equal(await accounts.signIn('Bearer the fixed token'), 'the fixed token')
  const password = await accounts.issueAppPassword('ann')
  for (const wrong of [undefined, '', 'x', `so_${'a'.repeat(12)}_${'b'.repeat(43)}`, password]) {
    t.equal(await accounts.signIn(wrong), null, String(wrong))
  }
  await t.rejects(accounts.signIn('x', { label: '' }), { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION' })
})

t.test('a token that signs in once opens nothing else, and is of no use then', async t => {
  const accounts = accountsWith()
  const once = await accounts.issue('ann', { once: true, label: 'link' })
  t.equal(await accounts.find(once), null)
  t.equal(await accounts.logIn({ username: 'ann', secret: once, verify: known => known === once }), null)
  const other = once.slice(0, -1) + (once.endsWith('A') ? 'B' : 'A')
  t.equal(await accounts.signIn(other), null, 'a wrong secret')
  const own = await accounts.signIn(once, { label: 'Firefox' })
  t.match(await accounts.find(own!), { id: 'ann' })
  t.equal(await accounts.signIn(once), null)
  t.same((await accounts.list('ann')).map(({ label }) => label), ['Firefox'])
})

t.test('of two who come at once one is let in, and the other leaves nothing', async t => {
  const accounts = accountsWith()
  const once = await accounts.issue('ann', { once: true })
  const both = await Promise.all([accounts.signIn(once), accounts.signIn(once)])
  t.equal(both.filter(token => token !== null).length, 1)
  t.equal((await accounts.list('ann')).length, 1)
})

t.test('it ends with its time, and when it is revoked', async t => {
  const store = memoryAccountStore()
  const accounts = accountsWith(store)
  const soon = await accounts.issue('ann', { once: true, expiresAt: Date.now() + 60_000 })
  const [record] = await accounts.list('ann')
  await store.replaceToken({ ...record!, expiresAt: Date.now() - 1 })
  t.equal(await accounts.signIn(soon), null)
  const later = await accounts.issue('ann', { once: true })
  for (const { id } of await accounts.list('ann')) await accounts.revoke(id)
  t.equal(await accounts.signIn(later), null)
})

t.test('a browser is called what it tells, as far as it does', async t => {
  const names: [name: string, userAgent: string | undefined][] = [
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    ['Chrome on Android', 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36'],
    ['Safari on iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1'],
    ['Edge on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Edg/140.0'],
    ['Browser', 'curl/8'], ['Browser', '']
  ]
  for (const [name, userAgent] of names) t.equal(deviceOf(userAgent), name)
})
