import { timingSafeEqual } from 'node:crypto'
import { withoutScheme } from '../text/without-scheme.ts'
import type { AccountStore, TokenRecord } from './account-store.ts'
import type { IssueOptions } from './accounts-options.ts'
import type { Finder } from './create-finder.ts'
import { hashOfOnce, parseToken } from './token.ts'

/** Devices of an account that are signed in at most. */
const mostDevices = 100
/** Characters that stores take of a label. */
const longestLabel = 255

interface Parts extends Pick<Finder, 'find'> {
  readonly store: AccountStore
  readonly isRevoked: (tokenId: string) => boolean
  readonly issue: (account: string, options: IssueOptions, parent: string) => Promise<{ id: string, token: string }>
  readonly revoke: (tokenId: string) => Promise<boolean>
}

const lastUse = ({ usedAt, createdAt }: TokenRecord) => usedAt ?? createdAt

/** Label of the token of a device, which also names the token that it was made from. */
const nameOf = (device: string | undefined, label: string | undefined) =>
  device === undefined || label === undefined
    ? device ?? label
    : Array.from(`${device} (${label})`).slice(0, longestLabel).join('')

/** `signIn` of the accounts. */
export function createSignIn ({ store, find, isRevoked, issue, revoke }: Parts) {
  /** The token that a device has shown which signs in once, if it is one. */
  async function findOnce (authorization: string): Promise<TokenRecord | undefined> {
    const parts = parseToken(withoutScheme(authorization))
    const record = parts && await store.findToken(parts.id)
    const isIt = record && timingSafeEqual(hashOfOnce(parts.secret), record.hash)
    return isIt && (record.expiresAt ?? Infinity) > Date.now() ? record : undefined
  }

  /** Ends the devices that were used longest ago, so that there is room for one more. */
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
    if (shown.parent !== undefined) return withoutScheme(authorization)
    const { id, account, label, expiresAt } = shown
    if (found === null) {
      // One that was killed in between is shown again.
      const fresh = await issueFor(account, { label: device }, '')
      if (await store.removeToken(id)) return fresh.token
      await store.removeToken(fresh.id)
      return null
    }
    const fresh = await issueFor(account, { label: nameOf(device, label), expiresAt }, id)
    // It may have been revoked meanwhile.
    if (!isRevoked(id) && await store.findToken(id) !== undefined) return fresh.token
    await store.removeToken(fresh.id)
    return null
  }
}
