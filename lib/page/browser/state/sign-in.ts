import { text } from '../texts/index.ts'
import { isOwn, ownUrl } from './own.ts'
import { endTokens, parked, setParked, tokenOfBrowser, type Parked } from './parked-accounts.ts'
import { show, source, sources, store, type SavedSource } from './saved-sources.ts'
import { accountOf, connect, session } from './session.ts'
import { tokenIn } from './typed.ts'

/** Opens a source with another token; a blank one signs out. */
export async function signIn (typed: string, url = source.value.url): Promise<void> {
  const shown = tokenIn(typed)
  if (shown === '') endTokens(sources.value.filter(known => known.url === url))
  const made = shown === '' ? { token: '' } : await tokenOfBrowser(shown, url)
  const change = ({ account, isOfBrowser, ...known }: SavedSource): SavedSource =>
    ({ ...known, ...made, ...shown && { account } })
  store(list => list.map(known => known.url === url ? change(known) : known), url)
  return connect()
}

/** Stores the signed-in account of the source beside the page for a later switch. */
async function park (): Promise<void> {
  const { token, account, isOfBrowser } = sources.value.find(isOwn)!
  // A token that the source has just rejected is useless.
  if (token === '' || (isOwn(source.value) && session.value === 'token')) return
  const user = await accountOf(token).catch(() => '') || text('account')
  setParked(list => [...list.filter(other => other.token !== token), { token, account, isOfBrowser, user }])
}

/** Signs out and stores the account for later. The next user sees only account names. */
export async function leaveAccount (): Promise<void> {
  await park()
  await open({ token: '' })
}

/** Switches to another account. The current one is stored. */
export async function goOnAs (other: Parked): Promise<void> {
  await park()
  await open(other)
}

function open ({ token, account, isOfBrowser }: Omit<Parked, 'user'>): Promise<void> {
  store(list => list.map(known => isOwn(known) ? { ...known, token, account, isOfBrowser } : known), ownUrl)
  return connect()
}

/** Signs in as another account of the source beside the page. The current one is stored. */
export async function signInBeside (typed: string): Promise<void> {
  const made = await tokenOfBrowser(tokenIn(typed), ownUrl)
  await park()
  await open({ ...made, account: undefined })
}

/** Signs out of all accounts of the source beside the page. */
export function signOutOfAll (): Promise<void> {
  endTokens(parked.value)
  setParked(() => [])
  return signIn('', ownUrl)
}

/** @param url of `addressIn` */
export function addSource (url: string, name: string, token: string): Promise<void> {
  if (sources.value.some(known => known.url === url)) return signIn(token, url)
  const added = { url, name: name.trim() || new URL(url).host, token: tokenIn(token) }
  store(list => [...list.filter(known => known.url !== url), added], url)
  return connect()
}

export function removeSource (url: string): Promise<void> | void {
  const wasCurrent = source.value.url === url
  store(list => list.filter(known => known.url !== url), wasCurrent ? ownUrl : source.value.url)
  if (wasCurrent) return connect()
}

export function switchTo (url: string): Promise<void> | void {
  if (url === source.value.url) return
  show(url)
  return connect()
}
