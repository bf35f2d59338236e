import t from 'tap'
import { createAccounts, memoryAccountStore, type Accounts, type AccountStore } from 'fastify-source-origin/accounts'
import { deviceOf } from '../../lib/page/register-sign-in.ts'

const accountsWith = (store = memoryAccountStore()) =>
  createAccounts({ store, tokens: { owner: 'the fixed token' }, secret: Buffer.alloc(32, 1) })

t.test('a device gets a token of its own for one of the account, which both work', async t => {
  const accounts = accountsWith()
  const token = await accounts.issue('ann', { label: 'link' })
  const own = await accounts.signIn(`Bearer ${token}`, { label: 'Firefox' })
  t.not(own, token)
  for (const one of [token, own!]) t.match(await accounts.find(one), { id: 'ann' })
  t.same((await accounts.list('ann')).map(({ label }) => label), ['link', 'Firefox (link)'])
  t.equal(await accounts.signIn(own!, { label: 'Firefox' }), own, 'the token of a device is given back')
  t.equal((await accounts.list('ann')).length, 2)
})

const labelsOf = async (accounts: Accounts) => (await accounts.list('ann')).map(({ label }) => label)
const isOpen = async (accounts: Accounts, token: string) => await accounts.find(token) !== null

t.test('a device ends with the token that it has shown, and other devices do not', async t => {
  const accounts = accountsWith()
  const first = await accounts.issue('ann', { label: 'first' })
  const second = await accounts.issue('ann', { expiresAt: Date.now() + 60_000 })
  const once = await accounts.issue('ann', { once: true, label: 'once' })
  const [ofFirst, ofSecond, ofOnce] =
    await Promise.all([first, second, once].map(async token => (await accounts.signIn(token, { label: 'Firefox' }))!))
  const records = await accounts.list('ann')
  t.match(records.map(({ expiresAt }) => expiresAt !== undefined).sort(), [false, false, false, true, true])
  t.ok(await isOpen(accounts, ofFirst!))
  await accounts.revoke(records.find(({ label }) => label === 'first')!.id)
  t.notOk(await isOpen(accounts, ofFirst!))
  t.ok(await isOpen(accounts, ofSecond!))
  t.ok(await isOpen(accounts, ofOnce!))
  t.same((await labelsOf(accounts)).sort(), ['Firefox', 'Firefox', undefined])
})

t.test('a device follows the rotation of the token that it has shown', async t => {
  const accounts = accountsWith()
  const token = await accounts.issue('ann', { label: 'phone' })
  const device = (await accounts.signIn(token, { label: 'Firefox' }))!
  const [old] = await accounts.list('ann')
  await accounts.rotate(old!.id)
  t.ok(await isOpen(accounts, device))
  const fresh = (await accounts.list('ann')).find(({ label }) => label === 'phone')!
  await accounts.revoke(fresh.id)
  t.notOk(await isOpen(accounts, device))
  t.same(await accounts.list('ann'), [])
})

t.test('a device is refused at once while its token cannot be removed from the store', async t => {
  const store = memoryAccountStore()
  let isAway = false
  const accounts = accountsWith({
    ...store, removeToken: async id => { if (isAway) throw new Error('away'); return store.removeToken(id) }
  })
  const token = await accounts.issue('ann')
  const device = (await accounts.signIn(token))!
  t.ok(await isOpen(accounts, device))
  isAway = true
  const [parent] = await accounts.list('ann')
  await t.rejects(accounts.revoke(parent!.id), { message: /refused here from now on/ })
  t.notOk(await isOpen(accounts, device))
  // Otherwise the accounts try again each second, and later tests of this process advance the clock from try to try.
  isAway = false
})

t.test('of more than a hundred devices the one that was used longest ago ends, and no other token', async t => {
  const store = memoryAccountStore()
  const accounts = accountsWith(store)
  const token = await accounts.issue('ann', { label: 'link' })
  const [link] = await accounts.list('ann')
  const device = (id: number) =>
    store.saveToken({ ...link!, id: `device-${id}`, parent: link!.id, createdAt: id, usedAt: 1000 + id })
  for (let id = 0; id < 100; id++) await device(id)
  await store.replaceToken({ ...(await store.findToken('device-0'))!, usedAt: 5000 })
  await store.replaceToken({ ...(await store.findToken('device-7'))!, usedAt: undefined })
  const own = (await accounts.signIn(token, { label: 'Firefox' }))!
  const ids = (await accounts.list('ann')).map(({ id }) => id)
  t.equal(ids.length, 101)
  t.notOk(ids.includes('device-7'))
  t.ok(ids.includes('device-0'))
  t.ok(await isOpen(accounts, token))
  t.ok(await isOpen(accounts, own))
})

t.test('a token that is revoked while a device signs in with it opens nothing', async t => {
  const store = memoryAccountStore()
  let onSaved = async () => {}
  const saveToken: AccountStore['saveToken'] = async record => {
    await store.saveToken(record)
    await onSaved()
  }
  const accounts = accountsWith({ ...store, saveToken })
  const token = await accounts.issue('ann')
  const [{ id } = { id: '' }] = await accounts.list('ann')
  // Another process removes it.
  onSaved = async () => { await store.removeToken(id) }
  t.equal(await accounts.signIn(token), null)
  t.same(await accounts.list('ann'), [])
  t.equal(await accounts.signIn(token), null, 'though it is remembered')
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
