import { createAccounts, memoryAccountStore, type AccountStore } from 'fastify-source-origin/accounts'
import t from 'tap'
import { fakeTime } from '../fake-time.ts'
import { deferred } from '../helper.ts'

/** Accounts over a store that counts how often it is asked for a token. */
function countedAccounts (more: Partial<AccountStore> = {}, tokens = {}) {
  const store = { ...memoryAccountStore(), ...more }
  let asked = 0
  const find = store.findToken
  store.findToken = async id => {
    asked++
    return find(id)
  }
  return { accounts: createAccounts({ store, tokens }), store, asked: () => asked }
}

const fixed = 'a fixed token, chosen by someone'
const unknown = `so_${'i'.repeat(12)}_${'s'.repeat(43)}`

t.test('a token is found after Bearer, in any case, and as it is', async t => {
  const { accounts } = countedAccounts({}, { owner: fixed })
  const token = await accounts.issue('ann')
  for (const prefix of ['', 'Bearer ', 'bearer ', 'BEARER  ']) {
    t.same(await accounts.find(prefix + token), { id: 'ann', tokenId: token.slice(3, 15) })
    t.same(accounts.find(prefix + fixed), { id: 'owner', tokenId: null })
  }
})

t.test('a fixed token that itself begins with Bearer is found too', async t => {
  const { accounts } = countedAccounts({}, { owner: `Bearer ${fixed}` })
  t.match(accounts.find(`Bearer ${fixed}`), { id: 'owner' })
  t.match(accounts.find(fixed), { id: 'owner' })
})

t.test('tokens with _ and - in their parts are found', async t => {
  const { accounts } = countedAccounts()
  for (let round = 0; round < 50; round++) t.ok(await accounts.find(await accounts.issue('ann')))
})

t.test('what is no token is nobody, without asking the store', async t => {
  const { accounts, asked } = countedAccounts({}, { owner: fixed })
  for (const text of [
    undefined, '', 'Bearer ', 'x', 'so_', unknown.slice(1), `${unknown}x`, unknown.replace('_', '-'), `${fixed}x`,
    'constructor', 'é'
  ]) {
    t.equal(accounts.find(text), null, `${text}`)
  }
  t.equal(asked(), 0)
})

t.test('the right id with another secret is nobody', async t => {
  const { accounts } = countedAccounts()
  const token = await accounts.issue('ann')
  t.equal(await accounts.find(token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')), null)
  t.equal(await accounts.find(token.slice(0, 16) + unknown.slice(16)), null)
})

t.test('what was found is known for 10 seconds without a query or a promise', async t => {
  const time = fakeTime(t)
  const { accounts, asked } = countedAccounts()
  const token = await accounts.issue('ann')
  for (const text of [token, unknown]) {
    const before = asked()
    const found = await accounts.find(text)
    time.advance(9_999)
    t.equal(accounts.find(text), found)
    t.equal(accounts.find(`Bearer ${text}`), found)
    t.equal(asked(), before + 1)
    time.advance(1)
    t.same(await accounts.find(text), found)
    t.equal(asked(), before + 2)
  }
})

t.test('many who ask at once are one query', async t => {
  const { accounts, asked } = countedAccounts()
  const token = await accounts.issue('ann')
  const found = await Promise.all(Array.from({ length: 100 }, async () => accounts.find(token)))
  t.equal(found.filter(account => account?.id === 'ann').length, 100)
  t.equal(asked(), 1)
})

t.test('a query that hangs is waited for by those who ask in its first 10 seconds only', async t => {
  const time = fakeTime(t)
  let hangs = true
  const { findToken, ...store } = memoryAccountStore()
  const { accounts, asked } =
    countedAccounts({ ...store, findToken: id => hangs ? new Promise<never>(() => {}) : findToken(id) })
  const token = await accounts.issue('ann')
  const first = accounts.find(token)
  hangs = false
  time.advance(9_999)
  t.equal(accounts.find(token), first)
  t.equal(asked(), 1)
  time.advance(1)
  t.match(await accounts.find(token), { id: 'ann' })
})

t.test('a token is of no use from its end on, known or not', async t => {
  const time = fakeTime(t)
  const { accounts } = countedAccounts()
  const token = await accounts.issue('ann', { expiresAt: Date.now() + 5_000 })
  time.advance(4_000)
  t.ok(await accounts.find(token))
  time.advance(1_000)
  t.equal(await accounts.find(token), null)
})

t.test('what is known grows old while the machine sleeps', async t => {
  const time = fakeTime(t)
  const { accounts, store } = countedAccounts()
  const token = await accounts.issue('ann')
  t.ok(await accounts.find(token))
  await store.removeToken(token.slice(3, 15))
  // As on Linux.
  const now = performance.now()
  t.capture(performance, 'now', () => now)
  time.advance(10_000)
  t.equal(await accounts.find(token), null)
})

t.test('a clock that is set back does not lengthen what is known', async t => {
  const time = fakeTime(t)
  const { accounts, store } = countedAccounts()
  const token = await accounts.issue('ann')
  t.ok(await accounts.find(token))
  await store.removeToken(token.slice(3, 15))
  const now = Date.now()
  t.capture(Date, 'now', () => now - 3_600_000)
  time.advance(10_000)
  t.equal(await accounts.find(token), null)
})

t.test('a revocation by another replica is known here after 10 seconds at the most', async t => {
  const time = fakeTime(t)
  const { accounts, store } = countedAccounts()
  const other = createAccounts({ store })
  const token = await accounts.issue('ann')
  t.ok(await accounts.find(token))
  await other.revoke(token.slice(3, 15))
  t.ok(await accounts.find(token))
  time.advance(10_000)
  t.equal(await accounts.find(token), null)
})

t.test('an answer that was on its way when the token was revoked is not remembered', async t => {
  const memory = memoryAccountStore()
  const { promise: slow, resolve: answer } = deferred<void>()
  let first = true
  const { accounts } = countedAccounts({
    ...memory,
    async findToken (id) {
      const record = await memory.findToken(id)
      if (first) {
        first = false
        await slow
      }
      return record
    }
  })
  const token = await accounts.issue('ann')
  const found = accounts.find(token)
  await accounts.revoke(token.slice(3, 15))
  answer()
  t.match(await found, { id: 'ann' })
  t.equal(await accounts.find(token), null)
})

t.test('a failure of the store is not remembered', async t => {
  const memory = memoryAccountStore()
  let down = true
  const { accounts } = countedAccounts({
    ...memory,
    async findToken (id) {
      if (down) throw new Error('down')
      return memory.findToken(id)
    }
  })
  const token = await accounts.issue('ann')
  await t.rejects(async () => accounts.find(token), { status: 503, message: 'cannot be reached' })
  down = false
  t.match(await accounts.find(token), { id: 'ann' })
})

t.test('a failure that comes after the token was forgotten leaves the newer answer', async t => {
  const memory = memoryAccountStore()
  let fail!: (error: Error) => void
  const failing = new Promise<never>((_resolve, reject) => { fail = reject })
  let first = true
  const { accounts, asked } = countedAccounts({
    ...memory,
    async findToken (id) {
      if (!first) return memory.findToken(id)
      first = false
      return failing
    }
  })
  const token = await accounts.issue('ann')
  const found = accounts.find(token)
  await accounts.remove('bob')
  const newer = await accounts.find(token)
  fail(new Error('down'))
  await t.rejects(async () => found, { status: 503, message: 'cannot be reached' })
  t.equal(accounts.find(token), newer)
  t.equal(asked(), 2)
})

t.test('10,000 are known at the most: the one that was not used for longest is asked for again', async t => {
  const numbered = (index: number) => `so_${String(index).padStart(12, '0')}_${'s'.repeat(43)}`
  const { accounts, asked } = countedAccounts()
  const token = await accounts.issue('ann')
  await accounts.find(token)
  for (let index = 0; index < 9_999; index++) {
    await accounts.find(numbered(index))
  }
  const before = asked()
  t.match(accounts.find(token), { id: 'ann' })
  t.equal(asked(), before)
  await accounts.find(unknown)
  t.match(accounts.find(token), { id: 'ann' })
  await accounts.find(numbered(0))
  t.equal(asked(), before + 2)
})

t.test('while the store cannot be reached, tokens known before are found for an hour, others are not', async t => {
  const time = fakeTime(t)
  const { findToken, ...rest } = memoryAccountStore()
  let isAway = false
  const { accounts, asked } = countedAccounts({
    ...rest,
    findToken: async id => {
      if (isAway) throw new Error('connection refused')
      return findToken(id)
    }
  })
  const token = await accounts.issue('ann')
  const short = await accounts.issue('bob', { expiresAt: Date.now() + 25_000 })
  const other = await accounts.issue('eve')
  for (const known of [token, short, unknown]) await accounts.find(known)
  isAway = true
  time.advance(10_000)
  t.match(await accounts.find(token), { id: 'ann' })
  t.match(await accounts.find(short), { id: 'bob' })
  for (const stranger of [unknown, other]) {
    await t.rejects(async () => accounts.find(stranger), { status: 503, message: 'cannot be reached' })
  }
  const before = asked()
  t.match(accounts.find(token), { id: 'ann' })
  t.equal(asked(), before, 'for ten seconds without a query')
  time.advance(15_000)
  await t.rejects(
    async () => accounts.find(short), { status: 503, message: 'cannot be reached' }, 'a token that has expired'
  )
  for (let minute = 0; minute < 59; minute++) {
    time.advance(60_000)
    t.match(await accounts.find(token), { id: 'ann' })
  }
  time.advance(60_000)
  await t.rejects(async () => accounts.find(token), { status: 503, message: 'cannot be reached' })
  isAway = false
  t.match(await accounts.find(token), { id: 'ann' })
})
