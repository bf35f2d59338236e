import { computed, signal } from '@preact/signals'
import { createSourceClient, type SourceClient, type Status } from '../../../client/index.ts'
import { isDeclared } from '../../../client/internal.ts'
import { UnauthorizedError } from '../../../contract/errors.ts'
import { withoutTrailingSlashes } from '../../../text/without-trailing-slashes.ts'
import type { OwnAnswers } from '../../page-responses.ts'
import type { OwnName } from '../../page-parameters.ts'
import { text } from '../texts/index.ts'
import { configuration, pageUrl } from './configuration.ts'
import { explain, listOf } from './explain.ts'
import { fetchOwn, isOwn, maxBody, ownUrl, type OwnInput } from './own.ts'
import { reloads } from './history-entries.ts'
import { say } from './notices.ts'
import { go } from './route.ts'
import { keep, recall } from './storage.ts'

export interface SavedSource {
  /** The URL without a trailing slash. */
  readonly url: string
  readonly name: string
  readonly token: string
  /** The account of the token, if the source beside the page has reported it. */
  readonly account?: string | undefined
  /** Whether the token belongs to this browser alone, so that signing out revokes it. */
  readonly isOfBrowser?: boolean | undefined
}

/** `token`: a token must be entered. `failed`: the source cannot be reached. */
export type SessionState = 'connecting' | 'token' | 'failed' | 'open'

/** Returns the stored sources, the one beside the page first. */
function recallSources (): readonly SavedSource[] {
  const kept = recall<readonly SavedSource[]>('sources', [])
  const list = Array.isArray(kept) ? kept : []
  const own = list.find(isOwn)
  return [
    { ...own, url: ownUrl, token: own?.token ?? '', name: configuration.title },
    ...list.filter(known => !isOwn(known))
  ]
}

/** The sources known to this tab. */
export const sources = signal(recallSources())

const currentUrl = signal(recall(`current:${ownUrl}`, ownUrl))

export const source = computed<SavedSource>(
  () => sources.value.find(({ url }) => url === currentUrl.value) ?? sources.value[0]!
)

/** Another account of the source beside the page, stored for a later switch without a new token. */
export interface Parked extends Pick<SavedSource, 'token' | 'account' | 'isOfBrowser'> {
  /** The display name of the account. */
  readonly user: string
}

function recallParked (): readonly Parked[] {
  const kept = recall<readonly Parked[]>('parked', [])
  return Array.isArray(kept) ? kept : []
}

export const parked = signal(recallParked())

/** Updates the stored accounts, including changes by other tabs. */
function setParked (change: (list: readonly Parked[]) => readonly Parked[]): void {
  parked.value = change(recallParked())
  keep('parked', parked.value)
}

/** Returns all sources and accounts with data in this browser. */
export const keptSources = () => [...sources.value, ...parked.value.map(account => ({ ...account, url: ownUrl }))]

/** Returns whether the current source and its token are still stored, since another tab may have signed out. */
export const isKept = () => [...recallSources(), ...recallParked().map(account => ({ ...account, url: ownUrl }))]
  .some(({ url, token }) => url === source.value.url && token === source.value.token)

export const session = signal<SessionState>('connecting')
export const status = signal<Status | undefined>(undefined)
/** The reason why the session is not open. */
export const trouble = signal('')
/** The error that closed the session. */
export const failure = signal<unknown>(undefined)

/** Returns whether the source declares a capability. */
export const can = (capability: string) => isDeclared(status.value?.capabilities ?? [], capability)

/** Features for this account that are not capabilities, offered by the source beside the page. */
const none: OwnAnswers['GET offers'] = { library: false }
export const offers = signal(none)

/** Loads the features. Other sources have none, and older servers do not report them. */
const loadOffers = async (asked: SavedSource, signal?: AbortSignal): Promise<OwnAnswers['GET offers']> =>
  isOwn(asked) ? fetchOwn(asked, 'GET offers', undefined, signal).catch(() => none) : none

/** Returns whether all albums and artists can be listed. */
export const canBrowse = () => offers.value.library
/** Returns whether accounts can share playlists. */
export const canShare = () => offers.value.sharing === true
/** Returns whether tracks can be rated. */
export const canRate = () => offers.value.ratings === true
/** Returns whether the account manages the others. */
export const canManage = () => offers.value.household === true
/** Returns whether the account may see file paths. */
export const canSeeFiles = () => offers.value.files === true
export const hasAccount = () => status.value?.stateless === false

/** The request timeout in milliseconds. */
const timeout = 20_000

let said = { name: '', at: 0 }

/**
 * Calls `fetch`, and reports the sources that are missing from a combined response, at most once a minute for the same
 * sources.
 */
const fetchAndSay: typeof fetch = async (...asked) => {
  const response = await fetch(...asked)
  const name = response.headers.get('source-partial')
  const at = Date.now()
  if (name !== null && (name !== said.name || at - said.at > 60_000)) {
    said = { name, at }
    say(text('doesNotAnswer', { name }), true)
  }
  return response
}

/** Creates a client of the current source. */
const createClient = (signal?: AbortSignal): SourceClient =>
  createSourceClient({
    baseUrl: source.value.url,
    authorization: source.value.token,
    timeout,
    maxBody,
    fetch: fetchAndSay,
    ...(signal && { signal })
  })

/** Calls the current source. After an authorisation error, the user is asked for a new token. */
export async function ask<T> (call: (client: SourceClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const asked = source.value
  try {
    return await call(createClient(signal))
  } catch (error) {
    if (error instanceof UnauthorizedError && asked === source.value) lock(text('tokenNoLonger'))
    throw error
  }
}

/** Calls one of the page's routes at the current source, which is the one beside the page. */
export const askOwn = <N extends OwnName>(name: N, input?: OwnInput<N>, signal?: AbortSignal): Promise<OwnAnswers[N]> =>
  ask(() => fetchOwn(source.value, name, input, signal))

/** Reloads the features of the source, and makes views reload their data. */
export async function reload (): Promise<void> {
  const asked = source.value
  const [answer, offered] = await Promise.all([ask(client => client.status()), loadOffers(asked)])
  if (asked !== source.value) return
  offers.value = offered
  status.value = tidyStatus(answer)
  reloads.value++
}

const tidyStatus = (answer: Status): Status => ({
  ...answer,
  capabilities: listOf<string>(answer.capabilities ?? []),
  qualityMap: listOf(answer.qualityMap ?? []),
  playlistSortOptions: listOf(answer.playlistSortOptions ?? [])
})

/** Returns whether a token is wrong. The client rejects tokens that no header can contain. */
const isRefusal = (error: unknown) => error instanceof UnauthorizedError ||
  (error as { code?: unknown }).code === 'SOURCE_ORIGIN_ERR_INVALID_OPTION'

function lock (why: string): void {
  status.value = undefined
  trouble.value = why
  session.value = 'token'
}

/** Aborts an attempt to open a source when a later one begins. */
let connecting = new AbortController()

/** Opens the current source with its token. */
export async function connect (): Promise<void> {
  connecting.abort()
  connecting = new AbortController()
  const { signal } = connecting
  session.value = 'connecting'
  status.value = undefined
  trouble.value = ''
  if (source.value.token === '') return lock('')
  try {
    const [answer, offered] = await Promise.all([createClient(signal).status(), loadOffers(source.value, signal)])
    if (signal.aborted) return
    offers.value = offered
    noteAccount(offered.account)
    status.value = tidyStatus(answer)
    failure.value = undefined
    session.value = 'open'
  } catch (error) {
    if (signal.aborted) return
    if (isRefusal(error)) {
      // A token that was revoked elsewhere is removed.
      const { token } = source.value
      setParked(list => list.filter(other => other.token !== token))
      return lock(text('tokenWrong'))
    }
    trouble.value = explain(error)
    failure.value = error
    session.value = 'failed'
  }
}

function show (url: string): void {
  currentUrl.value = url
  keep(`current:${ownUrl}`, url)
}

/** Updates the stored sources, including changes by other tabs: each tab writes only its own changes. */
function store (change: (list: readonly SavedSource[]) => readonly SavedSource[], url: string): void {
  sources.value = change(sources.value)
  keep('sources', change(recallSources()))
  show(url)
}

/** Stores the account of a token: data of the account stays when it receives another token. */
function noteAccount (account: string | undefined): void {
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

/** Returns the id of a token, which follows `so_`. */
export const idOf = ({ token }: Pick<SavedSource, 'token'>) => token.slice(3, 15)

/** Revokes tokens of this browser. Tokens shared with other devices stay. */
function endTokens (saved: readonly Pick<SavedSource, 'token' | 'isOfBrowser'>[]): void {
  for (const { token, isOfBrowser } of saved) {
    const id = idOf({ token })
    if (isOfBrowser) fetchOwn({ token }, 'POST app-passwords/revoke', { id }, undefined, true).catch(() => {})
  }
}

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

/** Returns the normalised URL of a source. @throws TypeError for an invalid URL */
export function addressIn (typed: string): string {
  const address = withoutTrailingSlashes(new URL(typed.trim()).href)
  createSourceClient({ baseUrl: address })
  return address
}

/** @param url of `addressIn` */
export function addSource (url: string, name: string, token: string): Promise<void> {
  if (sources.value.some(known => known.url === url)) return signIn(token, url)
  const added = { url, name: name.trim() || new URL(url).host, token: tokenIn(token) }
  store(list => [...list.filter(known => known.url !== url), added], url)
  return connect()
}

/** Signing out in one tab signs out all tabs, and a token entered in one tab is used by tabs without one. */
addEventListener('storage', () => {
  parked.value = recallParked()
  const isHere = ({ url }: SavedSource) => url === source.value.url
  const { token = '', account } = recallSources().find(isHere) ?? {}
  if (token === source.value.token) return
  if (token !== '' && session.value !== 'token') {
    // A replaced token does not mean another account.
    if (account === undefined || account !== source.value.account) say(text('otherAccount'), true)
    return
  }
  sources.value = sources.value.map(known => isHere(known) ? { ...known, token, account } : known)
  connect()
})

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

/** Removes the token from the address bar: `#token=...`, as in the start line of a source. */
export function takeTokenFromFragment (): string | undefined {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (token === undefined) return undefined
  go(pageUrl, true)
  return decoded(token)?.trim()
}

function decoded (text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Extracts the token from typed or pasted text: a complete link, or a token within quotes and invisible characters. */
export function tokenIn (typed: string): string {
  const isAround = (character = ' ') => /[\s\p{Cf}"'“”‘’«»`]/u.test(character)
  const characters = [...typed]
  while (characters.length > 0 && isAround(characters[0])) characters.shift()
  while (characters.length > 0 && isAround(characters.at(-1))) characters.pop()
  const bare = characters.join('')
  const [, ofLink] = bare.split('#token=')
  return ofLink === undefined ? bare : decoded(ofLink)?.trim() ?? bare
}

export const ownToken = () => sources.value.find(isOwn)!.token

/**
 * Returns the account name of a token, `''` if the source does not report it, `undefined` for an invalid token.
 *
 * @throws other errors
 */
export async function accountOf (token: string, url = ownUrl): Promise<string | undefined> {
  try {
    const client = createSourceClient({ baseUrl: url, authorization: token, timeout })
    const { capabilities } = tidyStatus(await client.status())
    const hasProfile = isDeclared(capabilities, 'userProfile')
    return hasProfile ? await client.getUserMe().then(({ nickname }) => String(nickname ?? ''), () => '') : ''
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}
