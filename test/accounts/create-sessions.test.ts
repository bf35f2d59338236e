import {
  createAccounts, memoryAccountStore, type Accounts, type AccountStore, type SessionOptions
} from 'fastify-source-origin/accounts'
import { errors } from 'fastify-source-origin'
import { once } from 'node:events'
import t from 'tap'
import { fakeTime } from '../fake-time.ts'

interface Cookies { header: string }
const secret = 'a secret that is more than thirty-two bytes long'
const { UnauthorizedError, UpstreamError } = errors

/** An upstream that takes the newest session only, and counts its logins. */
function createUpstream () {
  const upstream = {
    logins: 0,
    olds: [] as (Cookies | undefined)[],
    async refresh (old: Cookies | undefined): Promise<Cookies> {
      upstream.olds.push(old)
      return { header: `sid=${++upstream.logins}` }
    },
    async me ({ header }: Cookies) {
      if (header !== `sid=${upstream.logins}`) throw new UnauthorizedError()
      return header
    },
    expire () { upstream.logins++ }
  }
  return upstream
}

function build (refresh: SessionOptions<Cookies>['refresh'], store: AccountStore = memoryAccountStore()) {
  const accounts = createAccounts({ store, secret })
  return { accounts, store, session: accounts.session<Cookies>('ann', { refresh }) }
}

t.test('without a session the first one is made of none, and stays', async t => {
  const upstream = createUpstream()
  const { session } = build(upstream.refresh)
  t.equal(await session.use(upstream.me), 'sid=1')
  t.equal(await session.use(upstream.me), 'sid=1')
  t.strictSame(upstream.olds, [undefined])
})

t.test('a session that is refused is refreshed from the old one, and the call is made again', async t => {
  const upstream = createUpstream()
  const { session, store } = build(upstream.refresh)
  await session.use(upstream.me)
  upstream.expire()
  t.equal(await session.use(upstream.me), 'sid=3')
  t.strictSame(upstream.olds, [undefined, { header: 'sid=1' }])
  t.equal((await store.loadSession('ann'))?.version, 2)
})

t.test('all who wait share one refresh, through any session of the account', async t => {
  const upstream = createUpstream()
  const { accounts, session } = build(upstream.refresh)
  await session.use(upstream.me)
  upstream.expire()
  const answers = await Promise.all(Array.from({ length: 50 }, async () =>
    accounts.session<Cookies>('ann', { refresh: upstream.refresh }).use(upstream.me)))
  t.strictSame(new Set(answers), new Set(['sid=3']))
  t.equal(upstream.olds.length, 2)
})

t.test('accounts have sessions of their own', async t => {
  const { accounts } = build(async () => ({ header: '' }))
  for (const name of ['ann', 'bob']) await accounts.session(name, { refresh: async () => name }).use(async () => {})
  t.equal(await accounts.session<string>('ann', { refresh: async () => '' }).use(async session => session), 'ann')
})

t.test('of two replicas one refreshes, the other takes what it made', async t => {
  const upstream = createUpstream()
  const { session, store } = build(upstream.refresh)
  const { session: other } = build(upstream.refresh, store)
  await session.use(upstream.me)
  upstream.expire()
  t.strictSame(await Promise.all([session.use(upstream.me), other.use(upstream.me)]), ['sid=3', 'sid=3'])
  t.equal(upstream.olds.length, 2)
})

t.test('a second refusal goes out, and the upstream is asked for no other session for a minute', async t => {
  const time = fakeTime(t)
  let refreshes = 0
  const { session } = build(async () => ({ header: `${++refreshes}` }))
  const refusal = new UnauthorizedError('This account is locked')
  const use = () => session.use(async () => { throw refusal })
  await t.rejects(use(), refusal)
  time.advance(59_999)
  await t.rejects(use(), refusal)
  t.equal(refreshes, 1)
  time.advance(1)
  await t.rejects(use(), refusal)
  t.equal(refreshes, 2)
})

t.test('a refused refresh goes out, and is not tried again for a minute', async t => {
  const time = fakeTime(t)
  let refreshes = 0
  const refusal = new UnauthorizedError('Log in again')
  const { session } = build(async () => {
    refreshes++
    throw refusal
  })
  await t.rejects(Promise.all([session.use(async () => {}), session.use(async () => {})]), refusal)
  time.advance(59_999)
  await t.rejects(session.use(async () => {}), refusal)
  t.equal(refreshes, 1)
  time.advance(1)
  await t.rejects(session.use(async () => {}), refusal)
  t.equal(refreshes, 2)
})

t.test('a session that its owner has made ends the minute', async t => {
  const { session } = build(async () => { throw new UnauthorizedError() })
  await t.rejects(session.use(async () => {}), UnauthorizedError)
  await session.save({ header: 'by hand' })
  t.equal(await session.use(async ({ header }) => header), 'by hand')
})

t.test('a session that another replica has stored ends the minute', async t => {
  let refreshes = 0
  const { session, store } = build(async () => {
    refreshes++
    throw new UnauthorizedError()
  })
  await t.rejects(session.use(async () => {}), UnauthorizedError)
  await build(async () => ({ header: 'of another' }), store).session.use(async () => {})
  t.equal(await session.use(async ({ header }) => header), 'of another')
  await t.rejects(session.use(async () => { throw new UnauthorizedError() }), UnauthorizedError)
  t.equal(refreshes, 2)
})

for (const error of [new UpstreamError(), new errors.RateLimitedError(), new TypeError('fetch failed')]) {
  t.test(`${error.name}: a refresh that fails so changes nothing, goes out, and is tried again`, async t => {
    let fails = true
    const upstream = createUpstream()
    const { session, store } = build(async old => {
      if (old && fails) throw error
      return upstream.refresh(old)
    })
    await session.use(upstream.me)
    upstream.expire()
    await t.rejects(session.use(upstream.me), error)
    t.equal((await store.loadSession('ann'))?.version, 1)
    fails = false
    t.equal(await session.use(upstream.me), 'sid=3')
  })
}

t.test('any other error of a call goes out without a refresh', async t => {
  const upstream = createUpstream()
  const { session } = build(upstream.refresh)
  const error = new UpstreamError()
  await session.use(upstream.me)
  await t.rejects(session.use(async () => { throw error }), error)
  t.equal(upstream.olds.length, 1)
})

t.test('a refresh has 30 seconds, then its signal is aborted', async t => {
  const time = fakeTime(t)
  let signal: AbortSignal | undefined
  const { session } = build((_old, call) => new Promise(() => { signal = call.signal }))
  const using = session.use(async () => {})
  await until(() => time.pending() === 1)
  time.advance(29_999)
  t.equal(signal?.aborted, false)
  time.advance(1)
  t.equal(signal?.aborted, true)
  await t.rejects(using, { status: 504, message: 'No new session from the upstream in time' })
})

t.test('a refresh that is done leaves no timer', async t => {
  const time = fakeTime(t)
  const { session } = build(async () => ({ header: '' }))
  await session.use(async () => {})
  t.equal(time.pending(), 0)
})

t.test('a new session that comes too late is used, since the old one may be void', async t => {
  const time = fakeTime(t)
  const upstream = createUpstream()
  let answer!: (cookies: Cookies) => void
  const { session } = build(() => new Promise(resolve => { answer = resolve }))
  const using = session.use(upstream.me)
  await until(() => time.pending() === 1)
  time.advance(30_000)
  await t.rejects(using, { status: 504, message: 'in time' })
  answer(await upstream.refresh(undefined))
  await Promise.resolve()
  t.equal(await session.use(upstream.me), 'sid=1')
})

t.test('a new session that comes after its account was removed is not used for another one of this name', async t => {
  const time = fakeTime(t)
  let answer!: (cookies: Cookies) => void
  const { accounts, session } = build(() => new Promise(resolve => { answer = resolve }))
  const using = session.use(async () => {})
  await until(() => time.pending() === 1)
  time.advance(30_000)
  await t.rejects(using, { status: 504, message: 'in time' })
  await accounts.remove('ann')
  answer({ header: 'of the removed ann' })
  await Promise.resolve()
  const another = accounts.session<Cookies>('ann', { refresh: async () => ({ header: 'of the new ann' }) })
  t.equal(await another.use(async ({ header }) => header), 'of the new ann')
})

/** On a replica, once its account was removed on another one and is there again. */
async function useByNamesake (replica: Accounts, other: Accounts) {
  await other.remove('ann')
  await other.session<Cookies>('ann', { refresh: async () => ({ header: '' }) }).save({ header: 'of the new ann' })
  const session = replica.session<Cookies>('ann', { refresh: async old => ({ header: `after ${old?.header}` }) })
  return session.use(async ({ header }) => {
    if (header === 'of the new ann') throw new UnauthorizedError()
    return header
  })
}

t.test('a session that a replica could not save is not used after its account was removed on another one', async t => {
  const memory = memoryAccountStore()
  const store = { ...memory, saveSession: async () => { throw new Error('disk full') } } as AccountStore
  const replica = build(async () => ({ header: 'of the removed ann' }), store)
  const other = createAccounts({ store: memory, secret })
  await other.session<Cookies>('ann', { refresh: async () => ({ header: '' }) }).save({ header: 'old' })
  await t.rejects(replica.session.use(async () => { throw new UnauthorizedError() }), {
    status: 503, message: 'cannot be reached'
  })
  store.saveSession = memory.saveSession
  t.equal(await useByNamesake(replica.accounts, other), 'after of the new ann')
})

t.test('a session is refreshed although a replica was refused that of a removed account of this name', async t => {
  const store = memoryAccountStore()
  const replica = build(async () => { throw new UnauthorizedError('Refused') }, store)
  const other = createAccounts({ store, secret })
  await replica.session.save({ header: 'old' })
  await t.rejects(replica.session.use(async () => { throw new UnauthorizedError() }), {
    status: 401, message: 'Refused'
  })
  t.equal(await useByNamesake(replica.accounts, other), 'after of the new ann')
})

t.test('a new session that could not be saved is saved with the next use, without another refresh', async t => {
  const memory = memoryAccountStore()
  let full = false
  const saveSession: AccountStore['saveSession'] = async (...args) => {
    if (full) throw new Error('disk full')
    return memory.saveSession(...args)
  }
  const store = { ...memory, saveSession, withLock: memory.withLock }
  const upstream = createUpstream()
  const { session } = build(upstream.refresh, store)
  await session.use(upstream.me)
  upstream.expire()
  full = true
  await t.rejects(session.use(upstream.me), { status: 503, message: 'cannot be reached' })
  await t.rejects(session.use(upstream.me), { status: 503, message: 'cannot be reached' })
  full = false
  t.equal(await session.use(upstream.me), 'sid=3')
  t.equal(upstream.olds.length, 2)
})

t.test('when another replica saved in spite of the lock, what is stored is used', async t => {
  const memory = memoryAccountStore()
  const upstream = createUpstream()
  let intruder: (() => Promise<unknown>) | undefined
  const { session } = build(upstream.refresh, {
    ...memory,
    async saveSession (...args) {
      await intruder?.()
      return memory.saveSession(...args)
    }
  })
  await session.use(upstream.me)
  upstream.expire()
  intruder = async () => {
    intruder = undefined
    upstream.expire()
    await build(upstream.refresh, memory).session.save({ header: `sid=${upstream.logins}` })
  }
  // The memory's lock is held by the session, so the intruder must come past it.
  const { withLock } = memory
  memory.withLock = (_name, run) => run(memory)
  t.equal(await session.use(upstream.me), 'sid=4')
  memory.withLock = withLock
})

t.test('a call that failed with the newest session waits for a refresh of that one', async t => {
  const upstream = createUpstream()
  let hold: Promise<void> | undefined
  const memory = memoryAccountStore()
  let release!: () => void
  const { session } = build(upstream.refresh, {
    ...memory,
    withLock: (name, run) => memory.withLock(name, async locked => {
      const value = await run(locked)
      await hold
      return value
    })
  })
  await session.use(upstream.me)
  upstream.expire()
  hold = new Promise(resolve => { release = resolve })
  const first = session.use(upstream.me)
  // The refreshed session is stored, but its flight has not ended: this call has it, and is refused.
  await until(() => upstream.logins === 3)
  await until(async () => (await memory.loadSession('ann'))?.version === 2)
  const second = session.use(async ({ header }) => {
    if (header === 'sid=3') throw new UnauthorizedError()
    return header
  })
  await until(() => true)
  hold = undefined
  release()
  t.equal(await first, 'sid=3')
  t.equal(await second, 'sid=4')
})

t.test('an account that is removed in the middle of a call gets no new session', async t => {
  const upstream = createUpstream()
  const { accounts, session, store } = build(upstream.refresh)
  await session.use(upstream.me)
  await t.rejects(session.use(async () => {
    await accounts.remove('ann')
    throw new UnauthorizedError()
  }), { status: 401, message: 'This account is gone' })
  t.equal(await store.loadSession('ann'), undefined)
  t.equal(upstream.olds.length, 1)
})

t.test('an account that is removed in the middle of a refresh is removed after it', async t => {
  let answer!: (cookies: Cookies) => void
  const { accounts, session, store } = build(() => new Promise(resolve => { answer = resolve }))
  const token = await accounts.issue('ann')
  const using = session.use(async ({ header }) => header)
  await until(() => Boolean(answer))
  const removing = accounts.remove('ann')
  await until(async () => await accounts.find(token) === null)
  answer({ header: 'late' })
  t.equal(await using, 'late')
  await removing
  t.equal(await store.loadSession('ann'), undefined)
})

t.test('an account that is removed while its session is refreshed is gone for who waits', async t => {
  let answer: ((cookies: Cookies) => void) | undefined
  const { accounts, session, store } = build(() => new Promise(resolve => { answer = resolve }))
  await session.save({ header: 'old' })
  const using = session.use(async ({ header }) => {
    if (header === 'old') throw new UnauthorizedError()
    return header
  })
  await until(() => Boolean(answer))
  const removing = accounts.remove('ann')
  await until(async () => await store.loadSession('ann') === undefined)
  answer!({ header: 'late' })
  await t.rejects(using, { status: 401, message: 'This account is gone' })
  await removing
  t.equal(await store.loadSession('ann'), undefined)
})

t.test('a session is stored sealed, for its account and version', async t => {
  const upstream = createUpstream()
  const { accounts, session, store } = build(upstream.refresh)
  await session.use(upstream.me)
  const { data, version } = (await store.loadSession('ann'))!
  t.notMatch(Buffer.from(data).toString('latin1'), /sid|header/)
  await store.saveSession('bob', data, 0)
  const bob = accounts.session('bob', { refresh: upstream.refresh })
  await t.rejects(bob.use(upstream.me), {
    code: 'SOURCE_ORIGIN_ERR_SEALED_SESSION', message: 'the secret that sealed it'
  })
  await store.saveSession('ann', data, version)
  await t.rejects(build(upstream.refresh, store).session.use(upstream.me), {
    code: 'SOURCE_ORIGIN_ERR_SEALED_SESSION', message: 'the secret that sealed it'
  })
})

t.test('a secret is replaced: what the old one sealed is opened, and the next is sealed by the new one', async t => {
  const upstream = createUpstream()
  const { session, store } = build(upstream.refresh)
  await session.use(upstream.me)
  const sessionOf = (secrets: string[]) =>
    createAccounts({ store, secret: secrets }).session<Cookies>('ann', { refresh: upstream.refresh })
  const fresh = secret.toUpperCase()
  const message = 'the secret that sealed it'
  await t.rejects(sessionOf([fresh]).use(upstream.me), { code: 'SOURCE_ORIGIN_ERR_SEALED_SESSION', message })
  t.equal(await sessionOf([fresh, secret]).use(upstream.me), 'sid=1', 'nothing was lost by that')
  upstream.expire()
  await sessionOf([fresh, secret]).use(upstream.me)
  t.equal(await sessionOf([fresh]).use(upstream.me), 'sid=3')
})

t.test('a session that JSON cannot hold is refused', async t => {
  const { session } = build(async () => undefined as unknown as Cookies)
  await t.rejects(session.use(async () => {}), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: 'Option "refresh()" must be a value that JSON can hold'
  })
  await t.rejects(session.save((() => {}) as unknown as Cookies), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: 'Option "session"'
  })
})

t.test('a session that was saved at the same time in spite of the lock is told', async t => {
  const memory = memoryAccountStore()
  const { session } = build(async () => ({ header: '' }), { ...memory, saveSession: async () => false })
  await t.rejects(session.save({ header: '' }), {
    message: 'Another session of this account was saved at the same time'
  })
})

t.test('nothing of a session is in what is thrown', async t => {
  const { session, store } = build(async () => ({ header: 'a-secret-cookie' }))
  await session.use(async () => {})
  const other = createAccounts({ store, secret: secret.toUpperCase() }).session('ann', { refresh: async () => '' })
  const thrown: unknown[] = []
  await other.use(async () => {}).catch(error => thrown.push(error))
  const down = createAccounts({ store: { ...store, loadSession: async () => { throw new Error('down') } }, secret })
  await down.session('ann', { refresh: async () => '' }).use(async () => {}).catch(error => thrown.push(error))
  t.equal(thrown.length, 2)
  for (const error of thrown) {
    t.notMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), /secret-cookie|thirty-two/i)
  }
})

/** When it holds, after as many turns of the event loop as it takes. */
async function until (holds: () => boolean | Promise<boolean>) {
  const turn = new EventTarget()
  do {
    setImmediate(() => turn.dispatchEvent(new Event('end')))
    await once(turn, 'end')
  } while (!await holds())
}

t.test('a known session is read from the store once a minute, and used while the store does not answer', async t => {
  const time = fakeTime(t)
  const memory = memoryAccountStore()
  let reads = 0
  let isAway = false
  const loadSession: AccountStore['loadSession'] = async account => {
    reads++
    if (isAway) throw new Error('connection refused')
    return memory.loadSession(account)
  }
  const upstream = createUpstream()
  const { session } = build(upstream.refresh, { ...memory, loadSession, withLock: memory.withLock })
  await session.use(upstream.me)
  const before = reads
  for (let call = 0; call < 3; call++) await session.use(upstream.me)
  t.equal(reads, before)
  time.advance(60_000)
  await Promise.all([session.use(upstream.me), session.use(upstream.me)])
  t.equal(reads, before + 1)
  isAway = true
  time.advance(60_000)
  for (let call = 0; call < 3; call++) t.equal(await session.use(upstream.me), 'sid=1')
  t.equal(reads, before + 2)
  upstream.expire()
  await t.rejects(session.use(upstream.me), { status: 503, message: 'cannot be reached' })
  isAway = false
  t.equal(await session.use(upstream.me), 'sid=3')
})

t.test('a session that another replica has saved is used after a minute, although the old one works', async t => {
  const time = fakeTime(t)
  const { session, store } = build(async () => ({ header: 'first' }))
  const { session: other } = build(async () => ({ header: '' }), store)
  const use = () => session.use(async ({ header }) => header)
  t.equal(await use(), 'first')
  await other.save({ header: 'of another login' })
  time.advance(60_000)
  t.equal(await use(), 'of another login')
})

t.test('what was read before a session was saved, or an account removed, is not kept', async t => {
  for (const change of ['save', 'remove'] as const) {
    const memory = memoryAccountStore()
    let hold: Promise<void> | undefined
    const loadSession: AccountStore['loadSession'] = async account => {
      const held = hold
      hold = undefined
      const found = await memory.loadSession(account)
      await held
      return found
    }
    const store = { ...memory, loadSession, withLock: memory.withLock }
    await build(async () => ({ header: 'old' }), store).session.use(async () => {})
    const { accounts, session } = build(async () => ({ header: 'made anew' }), store)
    let release!: () => void
    hold = new Promise(resolve => { release = resolve })
    const reading = session.use(async ({ header }) => header)
    if (change === 'save') await session.save({ header: 'saved' })
    else await accounts.remove('ann')
    release()
    t.equal(await reading, 'old')
    t.equal(await session.use(async ({ header }) => header), change === 'save' ? 'saved' : 'made anew')
  }
})

t.test('of more than ten thousand accounts the one that was read first is read again', async t => {
  const memory = memoryAccountStore()
  let reads: string[] = []
  const loadSession: AccountStore['loadSession'] = async account => {
    reads.push(account)
    return memory.loadSession(account)
  }
  const accounts = createAccounts({ store: { ...memory, loadSession, withLock: memory.withLock }, secret })
  const use = (account: string) => accounts.session(account, { refresh: async () => 1 }).use(async () => {})
  for (let account = 0; account <= 10_000; account++) await use(`u-${account}`)
  reads = []
  await use('u-0')
  await use('u-10000')
  t.strictSame(reads, ['u-0'])
})
