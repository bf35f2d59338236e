import type { Identities } from '../../accounts/index.ts'

/** Returns the end of the validity of an account, in Unix milliseconds; nothing for an account that is not bound. */
export async function endOf (
  identities: Identities | undefined, account: string | undefined
): Promise<{ validUntil?: number }> {
  if (identities === undefined || account === undefined) return {}
  // The page works without it while the store is down.
  const bindings = await identities.list(account).catch(() => [])
  return bindings.length === 0 ? {} : { validUntil: Math.max(...bindings.map(({ validUntil }) => validUntil)) }
}
