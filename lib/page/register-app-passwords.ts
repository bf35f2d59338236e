import type { Accounts, TokenRecord } from '../accounts/index.ts'
import { withinTime } from '../async/timed-call.ts'
import { BadRequestError, NotFoundError, SourceError } from '../contract/errors.ts'
import type { CurrentCall } from '../request/index.ts'
import type { AppPassword } from './page-responses.ts'
import type { OwnRoute } from './page-routes.ts'

/** The part of `createAccounts`' result (with the option `secret`) that is used. */
export type AppPasswords = Pick<Accounts, 'find' | 'issueAppPassword' | 'list' | 'revoke' | 'hasSecret'> &
  Partial<Pick<Accounts, 'signIn' | 'identities'>>

const isName = /^[^\p{Cc}\p{Cs}]{1,100}$/u
/** The maximum number of app passwords of an account, since an md5 login is compared with each of them. */
const maxPasswords = 50

const shown = ({ id, label, createdAt, usedAt, usedBy }: TokenRecord): AppPassword =>
  ({ id, name: label, createdAt, usedAt, usedBy })

/** Registers the page's routes for the app passwords and signed-in devices of the account. */
export function registerAppPasswords (route: OwnRoute, accounts: AppPasswords): void {
  /** Returns `undefined` for a fixed token, which apps use directly as their password. */
  const find = (call: CurrentCall) => withinTime(call, async () => {
    const account = await accounts.find(call.authorization)
    if (!account?.tokenId) return undefined
    const now = Date.now()
    const all = (await accounts.list(account.id)).filter(({ expiresAt = Infinity }) => expiresAt > now)
    const items = all.filter(({ encrypted }) => encrypted !== undefined).map(shown)
    const devices = all.filter(({ encrypted }) => encrypted === undefined)
      .map(token => ({ ...shown(token), isThis: token.id === account.tokenId }))
    return { username: account.id, items, devices }
  })

  async function need (call: CurrentCall) {
    const found = await find(call)
    if (found === undefined) throw new SourceError(403, 'This token has no app passwords: apps log in with it as it is')
    return found
  }

  route('GET app-passwords', async ({ call }) => await find(call) ?? {})

  route('POST app-passwords', async ({ call, parameters: { name: label } }) => {
    const { username, items } = await need(call)
    if (!isName.test(label)) {
      throw new BadRequestError('Parameter name must be a text of 1 to 100 characters without control characters')
    }
    if (items.length >= maxPasswords) {
      throw new BadRequestError(
      `An account has ${maxPasswords} app passwords at most: revoke one`
      )
    }
    return { username, password: await accounts.issueAppPassword(username, { label }) }
  })

  route('POST app-passwords/revoke', async ({ call, parameters: { id } }) => {
    const { items, devices } = await need(call)
    const item = [...items, ...devices].find(item => item.id === id)
    const isRevoked = item !== undefined && await accounts.revoke(item.id)
    if (!isRevoked) throw new NotFoundError('App password or device not found')
    return { success: true }
  })
}
