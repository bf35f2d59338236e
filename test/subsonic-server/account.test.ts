import t from 'tap'
import { RestAccounts } from '../../lib/subsonic-server/account/rest-accounts.ts'
import { validateSubsonicOptions } from '../../lib/subsonic-server/subsonic-options.ts'

t.test('lists that an app pages through are given up by their size, those used last stay', async t => {
  const accounts = new RestAccounts(validateSubsonicOptions({}))
  const context = { adapter: {}, stateless: false, capabilities: [], account: 'ada' }
  const account = accounts.of(context, '')
  const ids = Array.from({ length: 200_000 }, (_empty, index) => String(index))
  for (const name of ['a', 'b', 'c']) await account.pagedList(name, 0, async () => ids).ended
  const isKept = async (name: string) => {
    let isKept = true
    await account.pagedList(name, 1, async () => { isKept = false; return [] }).ended
    return isKept
  }
  t.strictSame([await isKept('c'), await isKept('b'), await isKept('a')], [true, true, false])
  t.ok(account.bytes > 3_000_000 && account.bytes < 6_000_000, String(account.bytes))
})
