import {
  createAccounts, memoryAccountStore, type AccountsOptions, type AccountStore, type SessionOptions
} from 'fastify-source-origin/accounts'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fakeTime } from '../fake-time.ts'

const store = memoryAccountStore()
const secret = 'x'.repeat(32)
const accounts = createAccounts({ store, secret })
const form = /^so_[\w-]{12}_[\w-]{43}$/

const refused: Record<string, { name: string, code?: string, call: () => unknown }> = {
  'no options': { name: 'options', call: () => createAccounts(undefined as unknown as AccountsOptions) },
  'no store': { name: 'store', call: () => createAccounts({} as AccountsOptions) },
  'a store without a method': {
    name: 'store', call: () => createAccounts({ store: { ...store, withLock: undefined } as unknown as AccountStore })
  },
  'a short secret': { name: 'secret', call: () => createAccounts({ store, secret: 'x'.repeat(31) }) },
  'short bytes as the secret': { name: 'secret', call: () => createAccounts({ store, secret: Buffer.alloc(31) }) },
  'an empty list of secrets': { name: 'secret', call: () => createAccounts({ store, secret: [] }) },
  'a number as the secret': { name: 'secret', call: () => createAccounts({ store, secret: 7 as unknown as string }) },
  'a list with a short secret': { name: 'secret', call: () => createAccounts({ store, secret: [secret, 'short'] }) },
  'a list as tokens': {
    name: 'tokens', call: () => createAccounts({ store, tokens: ['a'] as unknown as Record<string, string> })
  },
  'a number as a fixed token': {
    name: 'tokens', call: () => createAccounts({ store, tokens: { ann: 7 as unknown as string } })
  },
  'a fixed token of two accounts': {
    name: 'tokens', call: () => createAccounts({ store, tokens: { ann: secret, bob: secret } })
  },
  'a fixed token with a line break at its end': {
    name: 'tokens', call: () => createAccounts({ store, tokens: { ann: `${secret}\n` } })
  },
  'a fixed token with a blank before it': {
    name: 'tokens', call: () => createAccounts({ store, tokens: { ann: ` ${secret}` } })
  },
  'a fixed token of no account': { name: 'tokens', call: () => createAccounts({ store, tokens: { '': secret } }) },
  'an unknown option': {
    name: 'Unknown option "secrets": did you mean "secret"?',
    code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION',
    call: () => createAccounts({ store, secrets: secret } as AccountsOptions)
  },
  'an empty account': { name: 'account', call: () => accounts.issue('') },
  'an account with NUL': { name: 'account', call: () => accounts.list('a\u0000') },
  'an account with half a character': { name: 'account', call: () => accounts.remove('a\ud800') },
  'an account that is too long': {
    name: 'account', call: () => accounts.session('x'.repeat(256), { refresh: async () => '' })
  },
  'a label that is no string': { name: 'label', call: () => accounts.issue('ann', { label: 7 as unknown as string }) },
  'an end in the past': { name: 'expiresAt', call: () => accounts.issue('ann', { expiresAt: Date.now() - 1 }) },
  'an end in seconds': {
    name: 'expiresAt', call: () => accounts.issue('ann', { expiresAt: Math.floor(Date.now() / 1000) + 3600 })
  },
  'a grace below 0': { name: 'grace', call: () => accounts.rotate('id', { grace: -1 }) },
  'a session without refresh': { name: 'refresh', call: () => accounts.session('ann', {} as SessionOptions<string>) },
  'a session without a secret': {
    name: 'Option "secret" must be given to createAccounts for sessions',
    call: () => createAccounts({ store }).session('ann', { refresh: async () => '' })
  }
}

const must: Record<string, string> = {
  options: 'an object',
  store: 'an object with the methods findToken, listTokens, saveToken, replaceToken, removeToken, removeAccount, ' +
    'loadSession, saveSession, withLock',
  secret: 'a string or Uint8Array of 32 bytes or more, or a list of such',
  tokens: 'an object with a different token for each account: undefined, or a string without blanks at its ends and ' +
    'without line breaks',
  account: 'a string of 1 to 255 characters without control characters',
  label: 'a string of 1 to 255 characters without control characters',
  expiresAt: 'a time to come, in Unix milliseconds',
  grace: 'a number of milliseconds, 0 or more',
  refresh: 'a function'
}

for (const [what, { name, code = 'SOURCE_ORIGIN_ERR_INVALID_OPTION', call }] of Object.entries(refused)) {
  t.test(`${what}: refused by name`, async t => {
    const message = must[name] === undefined ? name : `Option "${name}" must be ${must[name]}`
    await t.rejects(async () => call(), { name: 'TypeError', code, message })
  })
}

t.test('frozen options work', async t => {
  const frozen = createAccounts(Object.freeze({
    store, secret: Object.freeze([secret]), tokens: Object.freeze({ ann: secret, bob: undefined, cid: '' })
  }))
  t.same(frozen.find(secret), { id: 'ann', tokenId: null })
})

/** The warnings of the process from now on. */
async function warningsOf (t: Test): Promise<Error[]> {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  await setImmediate()
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  return warnings
}

t.test('a fixed token of less than 16 characters is warned of, without the token', async t => {
  const warnings = await warningsOf(t)
  createAccounts({ store, tokens: { bob: 'x'.repeat(16), ann: 'short-one-of-15' } })
  await setImmediate()
  t.equal(warnings.length, 1)
  t.match(warnings[0], { name: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_SHORT_TOKEN' })
  t.equal(
    warnings[0]!.message,
    'The fixed token of the account "ann" has less than 16 characters and could be guessed: choose a longer one'
  )
})

t.test('in development a fixed token that is not there is warned of', async t => {
  const warnings = await warningsOf(t)
  createAccounts({ store, tokens: { owner: undefined, bob: 'x'.repeat(16), guest: '' } })
  t.intercept(process, 'env', { value: { ...process.env, NODE_ENV: 'production' } })
  createAccounts({ store, tokens: { owner: undefined } })
  await setImmediate()
  t.match(warnings, [{
    code: 'SOURCE_ORIGIN_WARN_MISSING_TOKEN',
    message: 'There is no fixed token for "owner", "guest": it is empty or undefined'
  }])
  t.equal(warnings.length, 1)
})

t.test('a token is issued, listed without its secret, and found', async t => {
  const accounts = createAccounts({ store: memoryAccountStore() })
  const expiresAt = Date.now() + 60_000
  const token = await accounts.issue('ann', { label: 'phone', expiresAt })
  t.match(token, form)
  const [record, ...others] = await accounts.list('ann')
  t.match(record, { id: token.slice(3, 15), account: 'ann', label: 'phone', expiresAt })
  t.equal(record!.hash.length, 32)
  t.strictSame(others, [])
  t.notMatch(JSON.stringify(record), token.slice(16))
  t.same(await accounts.find(token), { id: 'ann', tokenId: record!.id })
})

t.test('a rotated token is of use for its grace, beside the new one', async t => {
  const time = fakeTime(t)
  const accounts = createAccounts({ store: memoryAccountStore() })
  const old = await accounts.issue('ann', { label: 'phone' })
  t.ok(await accounts.find(old))
  const fresh = await accounts.rotate(old.slice(3, 15), { grace: 60_000 })
  t.match(await accounts.list('ann'), [{ label: 'phone' }, { label: 'phone' }])
  time.advance(59_000)
  t.match(await accounts.find(old), { id: 'ann' })
  t.match(await accounts.find(fresh), { id: 'ann' })
  time.advance(1_000)
  t.equal(await accounts.find(old), null)
  t.match(await accounts.find(fresh), { id: 'ann' })
})

t.test('without a grace the rotated token is of no use at once', async t => {
  const accounts = createAccounts({ store: memoryAccountStore() })
  const old = await accounts.issue('ann')
  t.ok(await accounts.find(old))
  await accounts.rotate(old.slice(3, 15))
  t.equal(await accounts.find(old), null)
  t.equal((await accounts.list('ann')).length, 1)
})

t.test('a rotated token lives as long as the old one from now on; a grace does not lengthen the old one', async t => {
  const time = fakeTime(t)
  const accounts = createAccounts({ store: memoryAccountStore() })
  const token = await accounts.issue('ann', { expiresAt: Date.now() + 60_000 })
  time.advance(50_000)
  const expected = [Date.now() + 10_000, Date.now() + 60_000]
  await accounts.rotate(token.slice(3, 15), { grace: 3_600_000 })
  t.strictSame((await accounts.list('ann')).map(({ expiresAt }) => expiresAt), expected)
})

t.test('a grace without an end in sight is kept as the latest time that a store takes', async t => {
  const accounts = createAccounts({ store: memoryAccountStore() })
  const token = await accounts.issue('ann')
  await accounts.rotate(token.slice(3, 15), { grace: 1e300 })
  t.match(await accounts.find(token), { id: 'ann' })
  t.ok((await accounts.list('ann')).some(({ expiresAt }) => expiresAt === Number.MAX_SAFE_INTEGER))
})

t.test('a token that never expires and is rotated again within its grace gives another that never expires', async t => {
  const accounts = createAccounts({ store: memoryAccountStore() })
  const id = (await accounts.issue('ann')).slice(3, 15)
  const fresh = [await accounts.rotate(id, { grace: 60_000 }), await accounts.rotate(id, { grace: 60_000 })]
  const records = await accounts.list('ann')
  t.equal(records.length, 3)
  for (const token of fresh) t.equal(records.find(({ id }) => id === token.slice(3, 15))!.expiresAt, undefined)
})

t.test('a token rotated again in its grace gives another as long-lived, and ends at the first end', async t => {
  const time = fakeTime(t)
  const accounts = createAccounts({ store: memoryAccountStore() })
  const id = (await accounts.issue('ann', { expiresAt: Date.now() + 3_600_000 })).slice(3, 15)
  const end = Date.now() + 60_000
  await accounts.rotate(id, { grace: 60_000 })
  time.advance(30_000)
  await accounts.rotate(id, { grace: 60_000 })
  const expected = [end, end - 60_000 + 3_600_000, end - 30_000 + 3_600_000]
  t.strictSame((await accounts.list('ann')).map(({ expiresAt }) => expiresAt), expected)
})

t.test('with a store that keeps no lifetimes, a token that is rotated again gives one that has an end', async t => {
  const time = fakeTime(t)
  const store = memoryAccountStore()
  const old: AccountStore = {
    ...store,
    saveToken: ({ lifetime, ...record }) => store.saveToken(record),
    replaceToken: ({ lifetime, ...record }) => store.replaceToken(record)
  }
  const accounts = createAccounts({ store: old })
  const id = (await accounts.issue('ann')).slice(3, 15)
  await accounts.rotate(id, { grace: 60_000 })
  time.advance(1)
  const again = await accounts.rotate(id, { grace: 60_000 })
  const record = await store.findToken(again.slice(3, 15))
  t.equal(record!.expiresAt, Date.now() + 60_000)
})

t.test('a token that is gone or expired cannot be rotated', async t => {
  const time = fakeTime(t)
  const accounts = createAccounts({ store: memoryAccountStore() })
  await t.rejects(accounts.rotate('none'), { status: 404, message: 'Token not found' })
  const token = await accounts.issue('ann', { expiresAt: Date.now() + 1 })
  time.advance(1)
  await t.rejects(accounts.rotate(token.slice(3, 15), { grace: 60_000 }), {
    status: 404, message: 'Token not found'
  })
})

for (const grace of [0, 60_000]) {
  t.test(`a token that is revoked while it is rotated leaves none, grace ${grace}`, async t => {
    const store = memoryAccountStore()
    const other = createAccounts({ store })
    const id = (await other.issue('ann')).slice(3, 15)
    const accounts = createAccounts({
      store: {
        ...store,
        async saveToken (record) {
          t.equal(await other.revoke(id), true)
          await store.saveToken(record)
        }
      }
    })
    await t.rejects(accounts.rotate(id, { grace }), { status: 404, message: 'Token not found' })
    t.strictSame(await store.listTokens('ann'), [])
  })
}

t.test('a revoked token is of no use at once, and revoked once', async t => {
  const accounts = createAccounts({ store: memoryAccountStore() })
  const [token, other] = [await accounts.issue('ann'), await accounts.issue('ann')]
  for (const each of [token, other]) t.ok(await accounts.find(each))
  t.equal(await accounts.revoke(token.slice(3, 15)), true)
  t.equal(await accounts.find(token), null)
  t.ok(await accounts.find(other))
  t.equal(await accounts.revoke(token.slice(3, 15)), false)
})

t.test('while the store cannot be reached, a revoked token is of no use here at once, and removed later', async t => {
  const time = fakeTime(t)
  const memory = memoryAccountStore()
  let isDown = false
  const store: AccountStore = {
    ...memory,
    async removeToken (id) {
      if (isDown) throw new Error('connect ECONNREFUSED 10.0.0.7')
      return memory.removeToken(id)
    }
  }
  const accounts = createAccounts({ store })
  const [token, more, other] = [await accounts.issue('ann'), await accounts.issue('ann'), await accounts.issue('bob')]
  for (const each of [token, more, other]) t.ok(await accounts.find(each))
  isDown = true
  for (const each of [token, more]) {
    await t.rejects(accounts.revoke(each.slice(3, 15)), {
      status: 503,
      message: /^The token is refused here from now on, and is removed as soon as the accounts/,
      cause: { message: /ECONNREFUSED/ }
    })
    t.equal(accounts.find(each), null)
    await t.rejects(accounts.rotate(each.slice(3, 15)), { status: 404, message: 'Token not found' })
  }
  t.match(accounts.find(other), { id: 'bob' })
  await time.pass(1000)
  await time.awaited(1000)
  t.equal((await memory.listTokens('ann')).length, 2)
  isDown = false
  time.advance(1000)
  while ((await memory.listTokens('ann')).length > 0);
  t.equal(await accounts.find(token), null)
  t.equal(time.pending(), 0, 'nothing is tried again')
})

t.test('a removed account has no tokens; others and fixed ones stay', async t => {
  const accounts = createAccounts({ store: memoryAccountStore(), tokens: { ann: secret } })
  const [ann, bob] = [await accounts.issue('ann'), await accounts.issue('bob')]
  for (const each of [ann, bob, secret]) t.ok(await accounts.find(each))
  await accounts.remove('ann')
  t.equal(await accounts.find(ann), null)
  t.strictSame(await accounts.list('ann'), [])
  t.match(await accounts.find(bob), { id: 'bob' })
  t.match(accounts.find(secret), { id: 'ann', tokenId: null })
})

const broken = async () => { throw new Error('connect ECONNREFUSED 10.0.0.7') }
const brokenStore: AccountStore = {
  findToken: () => { throw new Error('connect ECONNREFUSED 10.0.0.7') },
  listTokens: broken,
  saveToken: broken,
  replaceToken: broken,
  removeToken: broken,
  removeAccount: broken,
  loadSession: broken,
  saveSession: broken,
  withLock: broken
}
const downAccounts = createAccounts({ store: brokenStore, secret })
const calls: Record<string, () => unknown> = {
  find: () => downAccounts.find(`so_${'i'.repeat(12)}_${'s'.repeat(43)}`),
  issue: () => downAccounts.issue('ann'),
  rotate: () => downAccounts.rotate('id'),
  remove: () => downAccounts.remove('ann'),
  list: () => downAccounts.list('ann'),
  'session.use': () => downAccounts.session('ann', { refresh: async () => '' }).use(async () => {}),
  'session.save': () => downAccounts.session('ann', { refresh: async () => '' }).save('x')
}
for (const [name, call] of Object.entries(calls)) {
  t.test(`${name}: a store that fails is 503 with one sentence, and the reason for the log`, async t => {
    await t.rejects(async () => call(), {
      status: 503,
      retryAfterSeconds: 5,
      message: 'The accounts of this source cannot be reached',
      cause: { message: /ECONNREFUSED/ }
    })
  })
}
