import { signal } from '@preact/signals'
import { configuration, pageUrl } from './configuration.ts'
import { fetchOwn, isOwn, ownUrl } from './own.ts'
import { recallSources, source, sources, store, type SavedSource } from './saved-sources.ts'
import { keep, recall } from './storage.ts'

/** Another account of the source beside the page, stored for a later switch without a new token. */
export interface Parked extends Pick<SavedSource, 'token' | 'account' | 'isOfBrowser'> {
  /** The display name of the account. */
  readonly user: string
}

export function recallParked (): readonly Parked[] {
  const kept = recall<readonly Parked[]>('parked', [])
  return Array.isArray(kept) ? kept : []
}

export const parked = signal(recallParked())

/** Updates the stored accounts, including changes by other tabs. */
export function setParked (change: (list: readonly Parked[]) => readonly Parked[]): void {
  parked.value = change(recallParked())
  keep('parked', parked.value)
}

/** Returns all sources and accounts with data in this browser. */
export const keptSources = () => [...sources.value, ...parked.value.map(account => ({ ...account, url: ownUrl }))]

/** Returns whether the current source and its token are still stored, since another tab may have signed out. */
export const isKept = () => [...recallSources(), ...recallParked().map(account => ({ ...account, url: ownUrl }))]
  .some(({ url, token }) => url === source.value.url && token === source.value.token)

/** Returns the id of a token, which follows `so_`. */
export const idOf = ({ token }: Pick<SavedSource, 'token'>) => token.slice(3, 15)

/** Revokes tokens of this browser. Tokens shared with other devices stay. */
export function endTokens (saved: readonly Pick<SavedSource, 'token' | 'isOfBrowser'>[]): void {
  for (const { token, isOfBrowser } of saved) {
    const id = idOf({ token })
    if (isOfBrowser) fetchOwn({ token }, 'POST app-passwords/revoke', { id }, undefined, true).catch(() => {})
  }
}

/** Stores the account of a token: data of the account stays when it receives another token. */
export function noteAccount (account: string | undefined): void {
  const { url, token, account: known } = source.value
  const isSame = (other: Parked) => other.token === token || (account !== undefined && other.account === account)
  if (isOwn(source.value) && parked.value.some(isSame)) {
    endTokens(parked.value.filter(other => isSame(other) && other.token !== token))
    setParked(list => list.filter(other => !isSame(other)))
  }
  if (known === account) return
  const isIt = (saved: SavedSource) => saved.url === url && saved.token === token
  store(list => list.map(saved => isIt(saved) ? { ...saved, account } : saved), url)
}

/** Tokens created for this browser that may not be stored yet. */
const madeHere = new Set<string>()

/**
 * Exchanges a token or a one-time link for a token of this browser alone, so that it is listed and revoked separately.
 * Returns the original token if the source creates none or does not respond; opening the source then reports the error.
 */
export async function tokenOfBrowser (
  token: string, url: string
): Promise<Pick<SavedSource, 'token' | 'isOfBrowser'>> {
  const known = [...sources.value, ...recallSources()].find(saved => saved.token === token && isOwn(saved))
  if (known !== undefined) return { token, isOfBrowser: known.isOfBrowser }
  if (madeHere.has(token)) return { token, isOfBrowser: true }
  if (!configuration.signsIn || !isOwn({ url })) return { token }
  try {
    const answer = await fetch(new URL('page/sign-in', pageUrl), { method: 'POST', headers: { authorization: token } })
    const { data } = await answer.json() as { data: { token: string } | null }
    if (data === null || data.token === token) return { token }
    madeHere.add(data.token)
    return { token: data.token, isOfBrowser: true }
  } catch {
    return { token }
  }
}
