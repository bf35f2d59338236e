import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { newAccount, type StoreTest } from './store-test.ts'

export const sessionTests: Record<string, StoreTest> = {
  async 'an account without a session has none' ({ store }) {
    assert.equal(await store.loadSession(newAccount()), undefined)
  },

  async 'a session of any bytes is loaded as it was saved' ({ store, replica }) {
    const account = newAccount()
    for (const [version, length] of [1, 256, 100_000].entries()) {
      const data = randomBytes(length)
      assert.equal(await store.saveSession(account, data, version), true)
      const loaded = await replica.loadSession(account)
      assert.equal(loaded?.version, version + 1)
      assert.ok(data.equals(loaded.data))
    }
    await store.removeAccount(account)
  },

  async 'what is kept does not change with the bytes that were saved or loaded' ({ store }) {
    const account = newAccount()
    const data = Buffer.from('session')
    await store.saveSession(account, data, 0)
    data.fill(0)
    for (let time = 0; time < 2; time++) {
      const loaded = await store.loadSession(account)
      assert.equal(Buffer.from(loaded!.data).toString(), 'session')
      loaded!.data.fill(0)
    }
    await store.removeAccount(account)
  },

  async 'a session is saved over the version that is stored, and over no other' ({ store, replica }) {
    const account = newAccount()
    const save = (text: string, version: number) => replica.saveSession(account, Buffer.from(text), version)
    assert.equal(await save('none to replace', 1), false)
    assert.equal(await store.loadSession(account), undefined)
    assert.equal(await save('first', 0), true)
    assert.equal(await save('first again', 0), false)
    assert.equal(await save('of a later one', 2), false)
    assert.equal(await save('second', 1), true)
    assert.equal(await save('of an older one', 1), false)
    const { data, version } = (await store.loadSession(account))!
    assert.deepEqual([Buffer.from(data).toString(), version], ['second', 2])
    await store.removeAccount(account)
  },

  async 'of many who save over the same version, one does' ({ store, replica }) {
    const account = newAccount()
    for (const version of [0, 1]) {
      const saved = await Promise.all(Array.from({ length: 10 }, async (_, index) =>
        (index % 2 ? store : replica).saveSession(account, Buffer.from(`${version} ${index}`), version)))
      const winner = saved.indexOf(true)
      assert.equal(saved.filter(Boolean).length, 1)
      assert.equal(Buffer.from((await store.loadSession(account))!.data).toString(), `${version} ${winner}`)
    }
    await store.removeAccount(account)
  },

  async 'with an account go its tokens and its session, and nothing of others' ({ store, replica }) {
    const [account, other] = [newAccount(), newAccount()]
    for (const name of [account, other]) {
      await store.saveToken({ id: name.slice(-12), account: name, hash: randomBytes(32), createdAt: 1 })
      await store.saveSession(name, Buffer.from(name), 0)
    }
    await replica.removeAccount(account)
    assert.deepEqual([await store.listTokens(account), await store.loadSession(account)], [[], undefined])
    assert.equal(await store.saveSession(account, Buffer.from('a refresh that was under way'), 1), false)
    assert.equal((await store.listTokens(other)).length, 1)
    assert.equal((await store.loadSession(other))?.version, 1)
    await replica.removeAccount(account)
    await store.removeAccount(other)
  }
}
