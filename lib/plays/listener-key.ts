import { createHash } from 'node:crypto'

/** What stands for an account, or for who is behind an authorization where the source names no account. */
export const listenerKey = (account: string | undefined, authorization: string): string =>
  // Accounts that the source names are told from the others.
  JSON.stringify([account !== undefined, account ?? createHash('sha256').update(authorization).digest('base64url')])
