import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TokenRecord } from '../account-store.ts'
import { newAccount, type StoreTest } from './store-test.ts'

const newToken = (account: string, more: Partial<TokenRecord> = {}): TokenRecord =>
  ({ id: randomBytes(9).toString('base64url'), account, hash: randomBytes(32), createdAt: 1_700_000_000_000, ...more })

/** Returns the properties that every store must store. Absent and undefined properties are equal. */
const membersOf = ({ id, account, hash, label, createdAt, expiresAt, encrypted, parent }: TokenRecord) => ({
  id,
  account,
  hash: Buffer.from(hash).toString('hex'),
  label,
  createdAt,
  expiresAt,
  sealed: encrypted && Buffer.from(encrypted).toString('hex'),
  parent
})

const assertSame = (found: TokenRecord | undefined, saved: TokenRecord) =>
  assert.deepEqual(found && membersOf(found), membersOf(saved))

/** Names with characters that databases and file systems treat specially. */
const names = ['\'"`\\', '%_*?', '../..', 'ü̈ 茉莉花 🎵', ' a ', 'A', 'a', 'x'.repeat(245), '0', 'null']

export const tokenTests: Record<string, StoreTest> = {
  async 'a token is found by its id, as it was saved' ({ store, replica }) {
    const account = newAccount()
    const records = [
      newToken(account),
      newToken(account, { label: 'phone of Ann \'"\\ 🎵', expiresAt: Number.MAX_SAFE_INTEGER }),
      newToken(account, { hash: Uint8Array.from({ length: 32 }, (_, index) => index * 8) }),
      newToken(account, { parent: '' }),
      newToken(account, { parent: newToken(account).id }),
      newToken(account, { encrypted: Uint8Array.from({ length: 51 }, (_, index) => index * 5) })
    ]
    for (const record of records) await store.saveToken(record)
    for (const record of records) assertSame(await replica.findToken(record.id), record)
    await store.removeAccount(account)
  },

  async 'a lifetime of a token is kept or left out, and no other is made up' ({ store, replica }) {
    const account = newAccount()
    for (const lifetime of [undefined, 0, 86_400_000]) {
      const record = newToken(account, { lifetime, expiresAt: 1_800_000_000_000 })
      await store.saveToken(record)
      const found = await replica.findToken(record.id)
      assertSame(found, record)
      assert.ok([undefined, lifetime].includes(found!.lifetime), 'the lifetime is another one')
    }
    await store.removeAccount(account)
  },

  async 'a token that is not there is undefined' ({ store }) {
    assert.equal(await store.findToken(newToken('').id), undefined)
  },

  async 'a token is replaced while it is there, and never comes back' ({ store, replica }) {
    const record = newToken(newAccount(), { label: 'phone', expiresAt: 1_800_000_000_000 })
    const changed: TokenRecord = { ...record, label: undefined, expiresAt: 1_750_000_000_000 }
    await store.saveToken(record)
    assert.equal(await replica.replaceToken(changed), true)
    assertSame(await store.findToken(record.id), changed)
    assert.equal((await store.listTokens(record.account)).length, 1)
    await store.removeToken(record.id)
    assert.equal(await replica.replaceToken(record), false)
    assert.equal(await store.findToken(record.id), undefined)
  },

  async 'what is kept does not change with the record that was saved or found' ({ store }) {
    const record = newToken(newAccount())
    const saved = { ...record, hash: new Uint8Array(record.hash) }
    await store.saveToken(saved)
    saved.hash.fill(0)
    const found = await store.findToken(record.id)
    assertSame(found, record)
    found!.hash.fill(0)
    assertSame(await store.findToken(record.id), record)
    await store.removeAccount(record.account)
  },

  async 'the tokens of an account are listed, oldest first, and no others' ({ store, replica }) {
    const [account, other] = [newAccount(), newAccount()]
    const records = [3, 1, 2].map(createdAt => newToken(account, { createdAt }))
    for (const record of [...records, newToken(other)]) await store.saveToken(record)
    const listed = await replica.listTokens(account)
    assert.deepEqual(listed.map(membersOf), [records[1]!, records[2]!, records[0]!].map(membersOf))
    assert.deepEqual(await replica.listTokens(newAccount()), [])
    for (const name of [account, other]) await store.removeAccount(name)
  },

  async 'a token is removed once' ({ store, replica }) {
    const [record, other] = [newToken(newAccount()), newToken(newAccount())]
    for (const each of [record, other]) await store.saveToken(each)
    assert.equal(await store.removeToken(record.id), true)
    assert.equal(await replica.findToken(record.id), undefined)
    assert.equal(await replica.removeToken(record.id), false)
    assertSame(await store.findToken(other.id), other)
    await store.removeAccount(other.account)
  },

  async 'accounts with any characters are told apart' ({ store, replica }) {
    const prefix = randomBytes(3).toString('hex')
    const records = names.map(name => newToken(`${prefix} ${name}`))
    for (const record of records) {
      await store.saveToken(record)
      await store.saveSession(record.account, Buffer.from(record.id), 0)
    }
    for (const record of records) {
      assert.deepEqual((await replica.listTokens(record.account)).map(membersOf), [membersOf(record)])
      assert.equal(Buffer.from((await replica.loadSession(record.account))!.data).toString(), record.id)
    }
    for (const [index, { account }] of records.entries()) {
      await store.removeAccount(account)
      const left = await Promise.all(records.map(({ id }) => replica.findToken(id)))
      assert.equal(left.filter(Boolean).length, names.length - index - 1)
    }
  }
}
