import { timingSafeEqual } from 'node:crypto'
import { withoutScheme } from '../text/without-scheme.ts'
import type { AccountStore, TokenRecord } from './account-store.ts'
import type { IssueOptions } from './accounts-options.ts'
import type { Finder } from './create-finder.ts'
import { hashOfOnce, parseToken } from './token.ts'

/** The maximum number of devices of an account. */
const mostDevices = 100
/** The maximum length of a label, in characters. */
const longestLabel = 255

interface Parts extends Pick<Finder, 'find'> {
  readonly store: AccountStore
  readonly isRevoked: (tokenId: string) => boolean
  readonly issue: (account: string, options: IssueOptions, parent: string) => Promise<{ id: string, token: string }>
  readonly revoke: (tokenId: string) => Promise<boolean>
}

const lastUse = ({ usedAt, createdAt }: TokenRecord) => usedAt ?? createdAt

/** Returns the label of a device, with the label of its parent token. */
const nameOf = (device: string | undefined, label: string | undefined) =>
  device === undefined || label === undefined
    ? device ?? label
    : Array.from(`${device} (${label})`).slice(0, longestLabel).join('')

/** Creates `signIn` of the accounts. */
export function createSignIn ({ store, find, isRevoked, issue, revoke }: Parts) {
  /** Finds the record of a one-time token. */
  async function findOnce (authorization: string): Promise<TokenRecord | undefined> {
    const parts = parseToken(withoutScheme(authorization))
    const record = parts && await store.findToken(parts.id)
    const isIt = record && timingSafeEqual(hashOfOnce(parts.secret), record.hash)
    return isIt && (record.expiresAt ?? Infinity) > Date.now() ? record : undefined
  }

  /** Revokes the least recently used devices, so that one more fits. */
  async function makeRoom (account: string): Promise<void> {
    const devices = (await store.listTokens(account)).filter(({ parent }) => parent !== undefined)
      .sort((one, other) => lastUse(other) - lastUse(one))
    for (const { id } of devices.slice(mostDevices - 1)) await revoke(id)
  }

  async function issueFor (account: string, options: IssueOptions, parent: string) {
    await makeRoom(account)
    return issue(account, options, parent)
  }

  return async function signIn (authorization: string, device: string | undefined): Promise<string | null> {
    const found = await find(authorization)
    if (found?.tokenId === null) return withoutScheme(authorization)
    const shown = found === null ? await findOnce(authorization) : await store.findToken(found.tokenId)
    if (shown === undefined) return null
    if (found !== null && shown.parent !== undefined) return withoutScheme(authorization)
    const { id, account, label, expiresAt } = shown
    if (found === null) {
      // A process that is killed before the removal leaves the link usable.
      const fresh = await issueFor(account, { label: device }, shown.parent ?? '')
      if (await store.removeToken(id)) return fresh.token
      await store.removeToken(fresh.id)
      return null
    }
    const fresh = await issueFor(account, { label: nameOf(device, label), expiresAt }, id)
    // The parent token may have been revoked since.
    if (!isRevoked(id) && await store.findToken(id) !== undefined) return fresh.token
    await store.removeToken(fresh.id)
    return null
  }
}
