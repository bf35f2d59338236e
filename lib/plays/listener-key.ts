import { createHash } from 'node:crypto'

/** Returns the key of an account, or of an authorization if the source has no account ids. */
export const listenerKey = (account: string | undefined, authorization: string): string =>
  // The flag distinguishes account ids from hashes.
  JSON.stringify([account !== undefined, account ?? createHash('sha256').update(authorization).digest('base64url')])
