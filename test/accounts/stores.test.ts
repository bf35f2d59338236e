import { CamelCasePlugin, Kysely, type KyselyPlugin } from 'kysely'
import { fileAccountStore, memoryAccountStore, type AccountStore } from 'fastify-source-origin/accounts'
import { testAccountStore, type TestedStore } from 'fastify-source-origin/accounts/test'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { sqliteDialect } from '../../example/database/sqlite-dialect.ts'
import { startPostgres } from '../postgres.ts'
import { skipWithout } from '../services.ts'
import { openStore, postgresOf } from './helper.ts'

skipWithout('PostgreSQL', t, /^PostgreSQL/)

const sqlite = (t: Test, ...plugins: KyselyPlugin[]) => {
  const dialect = sqliteDialect(join(t.testdir(), 'accounts.sqlite'), { warn () {} })
  return openStore(t, new Kysely<unknown>({ dialect, plugins }))
}

const stores: Record<string, (t: Test) => TestedStore | Promise<TestedStore>> = {
  memory: () => ({ store: memoryAccountStore() }),
  'a file': t => ({ store: fileAccountStore(join(t.testdir(), 'data', 'accounts.json')) }),
  SQLite: async t => ({ store: await sqlite(t) }),
  'SQLite with names in camel case': async t => ({ store: await sqlite(t, new CamelCasePlugin()) }),
  async PostgreSQL (t) {
    const { url } = await startPostgres(t)
    return { store: await openStore(t, postgresOf(url)), replica: await openStore(t, postgresOf(url, 1)) }
  }
}

for (const [name, open] of Object.entries(stores)) {
  t.test(`${name} is a store`, async t => {
    const opened = await open(t)
    testAccountStore((title, body) => t.test(title, async t => { await t.resolves(body()) }), () => opened)
  })

  t.test(`${name} keeps lifetimes`, async t => {
    const { store } = await open(t)
    for (const [index, lifetime] of [0, 86_400_000, undefined].entries()) {
      const id = `${index}`
      await store.saveToken({ id, account: 'ann', hash: new Uint8Array(32), createdAt: 1, expiresAt: 2, lifetime })
      t.equal((await store.findToken(id))!.lifetime, lifetime)
    }
  })
}

/** Stores with one fault each, and the check that must find it. */
const faults: Record<string, (store: AccountStore) => Partial<AccountStore>> = {
  'a token is found by its id, as it was saved': store =>
    ({ saveToken: record => store.saveToken({ ...record, label: 'x' }) }),
  'a lifetime of a token is kept or left out, and no other is made up': store => ({
    findToken: async id => {
      const record = await store.findToken(id)
      return record && { ...record, lifetime: Number(record.lifetime ?? null) }
    }
  }),
  'a token that is not there is undefined': store => ({ findToken: async id => await store.findToken(id) ?? null! }),
  'a token is replaced while it is there, and never comes back': store => ({
    replaceToken: async record => {
      const isThere = await store.findToken(record.id) !== undefined
      await store.saveToken(record)
      return isThere
    }
  }),
  'what is kept does not change with the record that was saved or found': store => {
    const kept = new Map()
    return { saveToken: async record => { kept.set(record.id, record) }, findToken: async id => kept.get(id) }
  },
  'the tokens of an account are listed, oldest first, and no others': store => ({
    listTokens: async account => (await store.listTokens(account)).reverse()
  }),
  'a token is removed once': store => ({ removeToken: async id => await store.removeToken(id) || true }),
  'accounts with any characters are told apart': store => ({
    saveToken: record => store.saveToken({ ...record, account: record.account.trim() })
  }),
  'an account without a session has none': store => ({
    loadSession: async account => await store.loadSession(account) ?? { data: new Uint8Array(0), version: 0 }
  }),
  'a session of any bytes is loaded as it was saved': store => ({
    saveSession: (account, data, version) =>
      store.saveSession(account, Buffer.from(Buffer.from(data).toString()), version)
  }),
  'what is kept does not change with the bytes that were saved or loaded': store => {
    const kept = new Map()
    return {
      saveSession: async (account, data, version) => Boolean(kept.set(account, { data, version })),
      loadSession: async account => kept.get(account)
    }
  },
  'a session is saved over the version that is stored, and over no other': store => ({
    saveSession: async (account, data, _version) =>
      store.saveSession(account, data, (await store.loadSession(account))?.version ?? 0)
  }),
  'of many who save over the same version, one does': store => ({
    saveSession: async (account, data, version) => {
      const fits = ((await store.loadSession(account))?.version ?? 0) === version
      if (fits) await store.saveSession(account, data, version)
      return fits
    }
  }),
  'with an account go its tokens and its session, and nothing of others': store => ({
    removeAccount: async account => {
      for (const { id } of await store.listTokens(account)) await store.removeToken(id)
    }
  }),
  'one at a time runs under a lock, over all replicas': store => ({ withLock: async (_name, run) => run(store) }),
  'what has been done under a lock is seen by who comes next': store =>
    ({ withLock: async (_name, run) => run(store) }),
  'a lock gives what was made under it': store =>
    ({ withLock: async (name, run) => structuredClone(await store.withLock(name, run)) }),
  'a lock is free again after an error, which goes out as it is': store => ({
    withLock: async (name, run) => {
      try {
        return await store.withLock(name, run)
      } catch {
        throw new Error('The lock failed')
      }
    }
  }),
  'locks of different names do not wait for each other': store => {
    let busy = false
    return {
      withLock: async (name, run) => {
        if (busy) throw new Error('Busy')
        busy = true
        try {
          return await store.withLock(name, run)
        } finally {
          busy = false
        }
      }
    }
  },
  'who holds a lock reaches the store, however many locks are held': store => {
    let held = 0
    return {
      withLock: async (name, run) => store.withLock(name, async () => {
        if (++held > 10) throw new Error('No connection left')
        return run(store).finally(() => { held-- })
      })
    }
  },
  'a binding is found by its identity and by its account, as it was saved': store => ({
    saveBinding: ({ issuer, subject }, binding, version) =>
      store.saveBinding!({ issuer: issuer.replace(/\/$/, ''), subject }, binding, version)
  }),
  'a binding is saved over the version that is stored, and over no other': store => ({
    saveBinding: async (identity, binding) =>
      store.saveBinding!(identity, binding, (await store.findBindings!(identity))[0]?.version ?? 0)
  }),
  'with an account go its bindings, and no update brings one back': store => ({
    removeAccount: async account => {
      for (const { id } of await store.listTokens(account)) await store.removeToken(id)
    }
  })
}

t.test('the tests of a store find each fault', async t => {
  const found: Record<string, boolean> = {}
  const running: Promise<unknown>[] = []
  for (const [title, fault] of Object.entries(faults)) {
    const store = memoryAccountStore()
    testAccountStore((each, body) => {
      if (each === title) running.push(body().then(() => { found[title] = false }, () => { found[title] = true }))
    }, () => ({ store: { ...store, ...fault(store) } }))
  }
  await Promise.all(running)
  t.strictSame(found, Object.fromEntries(Object.keys(faults).map(title => [title, true])))
})

t.test('a store that leaves out lifetimes passes', async t => {
  const store = memoryAccountStore()
  const old: AccountStore = {
    ...store,
    saveToken: ({ lifetime, ...record }) => store.saveToken(record),
    replaceToken: ({ lifetime, ...record }) => store.replaceToken(record)
  }
  testAccountStore((title, body) => t.test(title, async t => { await t.resolves(body()) }), () => ({ store: old }))
})

t.test('a store without bindings passes', async t => {
  const { findBindings, saveBinding, ...store } = memoryAccountStore()
  testAccountStore((title, body) => t.test(title, async t => { await t.resolves(body()) }), () => ({ store }))
})

t.test('each test of a store has such a fault', async t => {
  const titles: string[] = []
  testAccountStore(title => titles.push(title), () => ({ store: memoryAccountStore() }))
  t.strictSame(Object.keys(faults), titles)
})
