import t from 'tap'
import { RestAccounts } from '../../lib/subsonic-server/account/rest-accounts.ts'
import { validateSubsonicOptions } from '../../lib/subsonic-server/subsonic-options.ts'

const context = (account: string) => ({ adapter: {}, stateless: false, capabilities: [], account })

t.test('accounts that grow stay within the memory for all of them, and those used last stay', async t => {
  const accounts = new RestAccounts(validateSubsonicOptions({}))
  const use = (name: string) => accounts.of(context(name), '')
  const first = use('first')
  for (let index = 0; index < 10; index++) {
    const account = use(`${index}`)
    // Counts as 30 MB, of 256.
    Object.defineProperty(account.items, 'bytes', { value: 30_000_000 })
    accounts.recount(account)
    t.ok(use(`${index}`) === account)
  }
  accounts.recount(first)
  t.ok(use('first') !== first, 'one that was removed is not put back by a call that still uses it')
})
