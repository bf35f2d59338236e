import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { newAccount, type StoreTest } from './store-test.ts'

export const lockTests: Record<string, StoreTest> = {
  async 'one at a time runs under a lock, over all replicas' ({ store, replica }) {
    const name = newAccount()
    let inside = 0
    let runs = 0
    const stores = Array.from({ length: 10 }, (_, index) => index % 2 ? store : replica)
    await Promise.all(stores.map(async one => one.withLock(name, async locked => {
      assert.equal(++inside, 1)
      runs++
      await locked.loadSession(name)
      await setImmediate()
      inside--
    })))
    assert.equal(runs, 10)
  },

  async 'what has been done under a lock is seen by who comes next' ({ store, replica }) {
    const account = newAccount()
    const add = (each: typeof store) => each.withLock(account, async locked => {
      const { data = Buffer.alloc(0), version = 0 } = await locked.loadSession(account) ?? {}
      assert.equal(await locked.saveSession(account, Buffer.concat([data, Buffer.from('x')]), version), true)
    })
    await Promise.all(Array.from({ length: 20 }, async (_, index) => add(index % 2 ? store : replica)))
    const { data, version } = (await store.loadSession(account))!
    assert.deepEqual([Buffer.from(data).toString(), version], ['x'.repeat(20), 20])
    await store.removeAccount(account)
  },

  async 'a lock gives what was made under it' ({ store }) {
    const value = {}
    assert.equal(await store.withLock(newAccount(), async () => value), value)
  },

  async 'a lock is free again after an error, which goes out as it is' ({ store, replica }) {
    const name = newAccount()
    const error = new Error('made by this check')
    await assert.rejects(store.withLock(name, async () => { throw error }), thrown => thrown === error)
    assert.equal(await replica.withLock(name, async () => 'free'), 'free')
  },

  async 'locks of different names do not wait for each other' ({ store, replica }) {
    let release!: () => void
    const held = new Promise<void>(resolve => { release = resolve })
    const first = store.withLock(newAccount(), () => held)
    try {
      for (const each of [replica, ...Array(8).fill(store)]) {
        assert.equal(await each.withLock(newAccount(), async () => 'free'), 'free')
      }
    } finally {
      release()
      await first
    }
  },

  async 'who holds a lock reaches the store, however many locks are held' ({ store, replica }) {
    const accounts = Array.from({ length: 40 }, newAccount)
    const storeOf = (index: number) => index % 2 ? store : replica
    await Promise.all(accounts.map(async (account, index) => storeOf(index).withLock(account, async locked => {
      assert.equal(await locked.saveSession(account, Buffer.from(account), 0), true)
      assert.equal((await locked.loadSession(account))?.version, 1)
      await locked.removeAccount(account)
    })))
  }
}
