import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Binding, BindingRecord } from '../account-store.ts'
import { newAccount, type StoreTest } from './store-test.ts'

const newIdentity = (issuer = 'https://id.example') => ({ issuer, subject: newAccount() })
const bindingTo = (account: string, more: Partial<Binding> = {}): Binding =>
  ({ account, validUntil: Number.MAX_SAFE_INTEGER, checkedAt: 1_700_000_000_000, ...more })

const membersOf = ({ issuer, subject, account, validUntil, checkedAt, encrypted, version }: BindingRecord) => ({
  issuer, subject, account, validUntil, checkedAt, version, sealed: encrypted && Buffer.from(encrypted).toString('hex')
})

/** The tests of the optional methods. A store without these methods passes. */
export const bindingTests: Record<string, StoreTest> = {
  async 'a binding is found by its identity and by its account, as it was saved' ({ store, replica }) {
    if (store.saveBinding === undefined) return
    const account = newAccount()
    const { subject } = newIdentity()
    const records = ['https://id.example', 'https://id.example/', 'ü🎵 \'"\\%_'].map((issuer, at) => ({
      issuer,
      subject,
      ...bindingTo(account, { validUntil: at, ...at > 0 && { encrypted: randomBytes(40) } }),
      version: 1
    }))
    for (const record of records) assert.equal(await store.saveBinding(record, record, 0), true)
    for (const record of records) {
      const found = await replica.findBindings!({ issuer: record.issuer, subject })
      assert.deepEqual(found.map(membersOf), [membersOf(record)])
    }
    const all = (await replica.findBindings!({ account })).map(membersOf)
    assert.deepEqual(new Set(all.map(({ issuer }) => issuer)), new Set(records.map(({ issuer }) => issuer)))
    assert.deepEqual(await replica.findBindings!(newIdentity()), [])
    await store.removeAccount(account)
  },

  async 'a binding is saved over the version that is stored, and over no other' ({ store, replica }) {
    if (store.saveBinding === undefined) return
    const identity = newIdentity()
    const [account, other] = [newAccount(), newAccount()]
    assert.equal(await store.saveBinding(identity, bindingTo(account), 1), false)
    assert.deepEqual(await store.findBindings!(identity), [])
    const saved = await Promise.all(Array.from({ length: 10 }, (_, index) =>
      (index % 2 ? store : replica).saveBinding!(identity, bindingTo(account), 0)))
    assert.equal(saved.filter(Boolean).length, 1)
    assert.equal(await replica.saveBinding!(identity, bindingTo(other), 1), true)
    assert.equal(await store.saveBinding(identity, bindingTo(account), 1), false)
    assert.deepEqual((await store.findBindings!(identity)).map(membersOf),
      [membersOf({ ...identity, ...bindingTo(other), version: 2 })])
    assert.equal(await store.saveBinding(identity, undefined, 1), false)
    assert.equal(await replica.saveBinding!(identity, undefined, 2), true)
    assert.deepEqual(await store.findBindings!({ account: other }), [])
  },

  async 'with an account go its bindings, and no update brings one back' ({ store, replica }) {
    if (store.saveBinding === undefined) return
    const [identity, kept] = [newIdentity(), newIdentity()]
    const [account, other] = [newAccount(), newAccount()]
    await store.saveBinding(identity, bindingTo(account), 0)
    await store.saveBinding(kept, bindingTo(other), 0)
    await replica.removeAccount(account)
    assert.equal(await store.saveBinding(identity, bindingTo(account), 1), false)
    assert.deepEqual(await store.findBindings!(identity), [])
    assert.equal((await store.findBindings!(kept)).length, 1)
    await store.removeAccount(other)
  }
}
