import { computed, signal } from '@preact/signals'
import { createSourceClient, type SourceClient, type Status } from '../../../client/index.ts'
import { isDeclared } from '../../../client/internal.ts'
import { UnauthorizedError } from '../../../contract/errors.ts'
import { withoutTrailingSlashes } from '../../../text/without-trailing-slashes.ts'
import type { OwnAnswers } from '../../own-answers.ts'
import type { OwnName } from '../../own-parameters.ts'
import { text } from '../texts/index.ts'
import { configuration, pageUrl } from './configuration.ts'
import { explain, listOf } from './explain.ts'
import { fetchOwn, isOwn, maxBody, ownUrl, type OwnInput } from './own.ts'
import { reloads } from './history-entries.ts'
import { say } from './notices.ts'
import { go } from './route.ts'
import { keep, recall } from './storage.ts'

export interface SavedSource {
  /** Without a slash at its end. */
  readonly url: string
  readonly name: string
  readonly token: string
  /** The account of the token, where the source beside the page has said it. */
  readonly account?: string | undefined
  /** Whether the token is one of this browser alone, which ends with it. */
  readonly isOfBrowser?: boolean | undefined
}

/** `token`: one has to be typed. `failed`: the source cannot be reached. */
export type SessionState = 'connecting' | 'token' | 'failed' | 'open'

/** Those that this browser keeps, the one beside the page first. */
function recallSources (): readonly SavedSource[] {
  const kept = recall<readonly SavedSource[]>('sources', [])
  const list = Array.isArray(kept) ? kept : []
  const own = list.find(isOwn)
  return [
    { ...own, url: ownUrl, token: own?.token ?? '', name: configuration.title },
    ...list.filter(known => !isOwn(known))
  ]
}

/** Those that this tab knows. */
export const sources = signal(recallSources())

const currentUrl = signal(recall(`current:${ownUrl}`, ownUrl))

export const source = computed<SavedSource>(
  () => sources.value.find(({ url }) => url === currentUrl.value) ?? sources.value[0]!
)

/** Another account of the source beside the page, which this browser keeps for who signs in as it again. */
export interface Parked extends Pick<SavedSource, 'token' | 'account' | 'isOfBrowser'> {
  /** Of the account, for people. */
  readonly user: string
}

function recallParked (): readonly Parked[] {
  const kept = recall<readonly Parked[]>('parked', [])
  return Array.isArray(kept) ? kept : []
}

export const parked = signal(recallParked())

/** What other tabs have written meanwhile stays. */
function setParked (change: (list: readonly Parked[]) => readonly Parked[]): void {
  parked.value = change(recallParked())
  keep('parked', parked.value)
}

/** All that this browser keeps something for: its sources, and what other accounts of the one beside the page were. */
export const keptSources = () => [...sources.value, ...parked.value.map(account => ({ ...account, url: ownUrl }))]

/** Whether this browser still keeps the current source with its token: another tab may have signed out. */
export const isKept = () => [...recallSources(), ...recallParked().map(account => ({ ...account, url: ownUrl }))]
  .some(({ url, token }) => url === source.value.url && token === source.value.token)

export const session = signal<SessionState>('connecting')
export const status = signal<Status | undefined>(undefined)
/** Why the session is not open. */
export const trouble = signal('')
/** What it failed with. */
export const failure = signal<unknown>(undefined)

/** Whether the source declares a capability. */
export const can = (capability: string) => isDeclared(status.value?.capabilities ?? [], capability)

/** What the source beside the page offers to this account besides its capabilities. */
const none: OwnAnswers['GET offers'] = { library: false }
export const offers = signal(none)

/** A source elsewhere has none, and one beside an older page does not say. */
const loadOffers = async (asked: SavedSource, signal?: AbortSignal): Promise<OwnAnswers['GET offers']> =>
  isOwn(asked) ? fetchOwn(asked, 'GET offers', undefined, signal).catch(() => none) : none

/** Whether all albums and artists can be listed. */
export const canBrowse = () => offers.value.library
/** Whether accounts share playlists. */
export const canShare = () => offers.value.sharing === true
/** Whether tracks have stars. */
export const canRate = () => offers.value.ratings === true
/** Whether the account manages the others. */
export const canManage = () => offers.value.household === true
/** Whether the account may know where files are. */
export const canSeeFiles = () => offers.value.files === true
export const hasAccount = () => status.value?.stateless === false

/** Milliseconds. */
const timeout = 20_000

let said = { name: '', at: 0 }

/** As `fetch`; says which sources of a combination an answer lacks, the same ones once a minute. */
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

/** A client of the current source. */
const createClient = (signal?: AbortSignal): SourceClient =>
  createSourceClient({
    baseUrl: source.value.url,
    authorization: source.value.token,
    timeout,
    maxBody,
    fetch: fetchAndSay,
    ...(signal && { signal })
  })

/** Asks the current source. A token that is no longer good is asked for again. */
export async function ask<T> (call: (client: SourceClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const asked = source.value
  try {
    return await call(createClient(signal))
  } catch (error) {
    if (error instanceof UnauthorizedError && asked === source.value) lock(text('tokenNoLonger'))
    throw error
  }
}

/** Asks one of the page's own operations of the current source, which is the one beside the page. */
export const askOwn = <N extends OwnName>(name: N, input?: OwnInput<N>, signal?: AbortSignal): Promise<OwnAnswers[N]> =>
  ask(() => fetchOwn(source.value, name, input, signal))

/** Asks the source beside the page what it offers now, and makes views load what they show again. */
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

/** Whether a token is wrong. What no header can hold is refused by the client. */
const isRefusal = (error: unknown) => error instanceof UnauthorizedError ||
  (error as { code?: unknown }).code === 'SOURCE_ORIGIN_ERR_INVALID_OPTION'

function lock (why: string): void {
  status.value = undefined
  trouble.value = why
  session.value = 'token'
}

/** Aborts an attempt to open a source when there is a later one. */
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
      // One that was ended elsewhere is of no use any more.
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

/** What other tabs have written meanwhile stays: each writes its own changes only. */
function store (change: (list: readonly SavedSource[]) => readonly SavedSource[], url: string): void {
  sources.value = change(sources.value)
  keep('sources', change(recallSources()))
  show(url)
}

/** Notes whose token it is: what is kept for the account stays when it gets another token. */
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

/** Tokens that were made for this browser, and may not be kept yet. */
const madeHere = new Set<string>()

/**
 * A token of this browser alone for one that was shown, or for a link that works once: so it is listed and ended by
 * itself. The same one where the source makes none, or where it does not answer, which is told when it is opened.
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

/** Ends tokens of this browser; those that others have too stay. */
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

/** Keeps the account of the source beside the page, if one is signed in, for later. */
async function park (): Promise<void> {
  const { token, account, isOfBrowser } = sources.value.find(isOwn)!
  // One that is asked for is of no use any more.
  if (token === '' || (isOwn(source.value) && session.value === 'token')) return
  const user = await accountOf(token).catch(() => '') || text('account')
  setParked(list => [...list.filter(other => other.token !== token), { token, account, isOfBrowser, user }])
}

/** Leaves the account for later: who comes next sees names, and nothing else. */
export async function leaveAccount (): Promise<void> {
  await park()
  await open({ token: '' })
}

/** Goes on with another account, which stays beside the one that is left. */
export async function goOnAs (other: Parked): Promise<void> {
  await park()
  await open(other)
}

function open ({ token, account, isOfBrowser }: Omit<Parked, 'user'>): Promise<void> {
  store(list => list.map(known => isOwn(known) ? { ...known, token, account, isOfBrowser } : known), ownUrl)
  return connect()
}

/** Signs in as another account of the source beside the page. The one that was there stays for later. */
export async function signInBeside (typed: string): Promise<void> {
  const made = await tokenOfBrowser(tokenIn(typed), ownUrl)
  await park()
  await open({ ...made, account: undefined })
}

/** Ends all accounts of the source beside the page. */
export function signOutOfAll (): Promise<void> {
  endTokens(parked.value)
  setParked(() => [])
  return signIn('', ownUrl)
}

/** The address of a source as it is kept. @throws TypeError for what is no URL of a source */
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

/** Who signs out in one tab is signed out in all of them, and a token typed in one is that of those without one. */
addEventListener('storage', () => {
  parked.value = recallParked()
  const isHere = ({ url }: SavedSource) => url === source.value.url
  const { token = '', account } = recallSources().find(isHere) ?? {}
  if (token === source.value.token) return
  if (token !== '' && session.value !== 'token') {
    // One that is only replaced is no other account.
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

/** Takes the token out of the address bar: `#token=...`, as the start line of a source prints it. */
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

/** The token in what was typed or pasted: the whole link, or with quotes and characters about it that nobody sees. */
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
 * The name of the account of a token, `''` where the source tells none; `undefined` for a token that it does not know.
 *
 * @throws what says neither
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
