import { Session } from '../session.ts'
import type { Account } from './account.ts'

/** A session with what is kept between the calls of its account. */
export class AccountSession extends Session {
  readonly account: Account

  constructor (account: Account, ...session: ConstructorParameters<typeof Session>) {
    super(...session)
    this.account = account
  }
}
