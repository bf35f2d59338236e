import { createAccounts, fileAccountStore } from 'fastify-source-origin/accounts'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const secret = 'a secret of thirty-two characters'
const record = { id: 'a', account: 'ann', hash: new Uint8Array(32).fill(7), createdAt: 1 }

t.test('tokens, app passwords and sessions are there after a restart, and no file holds a secret in clear', async t => {
  const file = join(t.testdir(), 'data', 'accounts.json')
  const start = () => createAccounts({ store: fileAccountStore(file), secret })
  const before = start()
  const token = await before.issue('ann', { label: 'phone' })
  const password = await before.issueAppPassword('ann')
  const use = async (session: string) => session
  await before.session<string>('ann', { refresh: async () => 'the-refresh-token' }).use(use)
  const text = readFileSync(file, 'utf8')
  for (const hidden of [token, password, 'the-refresh-token']) t.notMatch(text, hidden)
  t.equal(statSync(file).mode & 0o777, 0o600)
  const after = start()
  t.match(await after.find(token), { id: 'ann' })
  const refresh = () => { throw new Error('not asked again') }
  t.equal(await after.session<string>('ann', { refresh }).use(use), 'the-refresh-token')
})

t.test('a file that is none of a store is refused until it is mended', async t => {
  const file = join(t.testdir({ 'accounts.json': '{"tokens":' }), 'accounts.json')
  const store = fileAccountStore(file)
  await t.rejects(store.findToken('a'), SyntaxError)
  await t.rejects(store.saveToken(record), SyntaxError)
  t.equal(readFileSync(file, 'utf8'), '{"tokens":')
  writeFileSync(file, '{"tokens":[],"sessions":[]}')
  await store.saveToken(record)
  t.strictSame(await store.findToken('a'), record)
})

t.test('a change that cannot be written has not happened', async t => {
  const folder = t.testdir()
  const store = fileAccountStore(join(folder, 'accounts.json'))
  await store.saveToken(record)
  // Nothing can be written there, whoever asks.
  mkdirSync(join(folder, 'accounts.json.new'))
  await t.rejects(store.removeToken('a'), { code: 'EISDIR' })
  t.strictSame(await store.findToken('a'), record)
  t.strictSame(await fileAccountStore(join(folder, 'accounts.json')).findToken('a'), record)
})

t.test('bindings are there after a restart', async t => {
  const file = join(t.testdir(), 'accounts.json')
  const identities = ['ann', 'bob'].map(subject => ({ issuer: 'https://id.example', subject }))
  const encrypted = [new Uint8Array(40).fill(3), undefined]
  const before = fileAccountStore(file)
  for (const [at, identity] of identities.entries()) {
    const binding = { account: 'ann', validUntil: 2, checkedAt: 1, ...encrypted[at] && { encrypted: encrypted[at] } }
    await before.saveBinding!(identity, binding, 0)
  }
  const found = await fileAccountStore(file).findBindings!({ account: 'ann' })
  t.match(found, identities)
  t.strictSame(found.map(binding => binding.encrypted), encrypted)
})
