import { signal } from '@preact/signals'
import { createSourceClient, type SourceClient, type Status } from '../../../client/index.ts'
import { isDeclared } from '../../../client/internal.ts'
import { UnauthorizedError } from '../../../contract/errors.ts'
import type { OwnAnswers } from '../../page-responses.ts'
import type { OwnName } from '../../page-parameters.ts'
import { text } from '../texts/index.ts'
import { explain, listOf } from './explain.ts'
import { reloads } from './history-entries.ts'
import { say } from './notices.ts'
import { fetchOwn, isOwn, maxBody, ownUrl, type OwnInput } from './own.ts'
import { noteAccount, parked, recallParked, setParked } from './parked-accounts.ts'
import { recallSources, source, sources, type SavedSource } from './saved-sources.ts'

/** `token`: a token must be entered. `failed`: the source cannot be reached. */
export type SessionState = 'connecting' | 'token' | 'failed' | 'open'

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
/** Returns whether the source may have recommended playlists. Other sources do not report it. */
export const mayRecommend = () => offers.value.recommended !== false
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
export const askOwn = <N extends OwnName>(
  name: N, input?: OwnInput<N>, signal?: AbortSignal, keepalive?: boolean
): Promise<OwnAnswers[N]> => ask(() => fetchOwn(source.value, name, input, signal, keepalive))

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
