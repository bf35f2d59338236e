import { Session, type SessionParts } from '../session.ts'
import type { Account } from './account.ts'

/** A session with what is kept between the calls of its account. */
export class AccountSession extends Session {
  readonly account: Account

  constructor (account: Account, parts: SessionParts) {
    super(parts)
    this.account = account
  }
}
