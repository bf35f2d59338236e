import { readEnvelope } from '../../../client/internal.ts'
import { UpstreamError } from '../../../contract/errors.ts'
import { text } from '../texts/index.ts'
import { pageUrl } from './configuration.ts'
import { maxBody, ownUrl } from './own.ts'
import { playing } from './player-state.ts'
import { ownToken } from './saved-sources.ts'
import { offers, session } from './session.ts'
import { signIn } from './sign-in.ts'

/** The time in milliseconds before its end in which an account is renewed. */
const renewedBefore = 7 * 24 * 3_600_000

/** Whether this tab was signed in since it was loaded. Bound accounts load this part then. */
export let wasOpen = false
session.subscribe(state => { wasOpen ||= state === 'open' })

async function ask<T> (name: 'begin' | 'header', body: object = {}, authorization = ''): Promise<T> {
  const path = `page/sign-in/${name}`
  const headers = { 'content-type': 'application/json', ...authorization && { authorization } }
  const response = await fetch(new URL(path, pageUrl), { method: 'POST', headers, body: JSON.stringify(body) })
    .catch(cause => { throw new UpstreamError(text('errorConnection'), { cause }) })
  return await readEnvelope({ method: 'POST', path }, response, maxBody) as T
}

/** Leaves the page for the provider, which returns to it. */
export async function signInAtProvider (): Promise<void> {
  location.assign((await ask<{ url: string }>('begin')).url)
}

/** Connects the account of this browser with a person at the provider. */
export async function connectProvider (): Promise<void> {
  location.assign((await ask<{ url: string }>('begin', {}, ownToken())).url)
}

/** Signs in as the person whom the proxy names. */
export async function signInByProxy (): Promise<void> {
  await signIn((await ask<{ token: string }>('header')).token, ownUrl)
}

/** Renews an account that ends soon, when the page is opened: the provider asks nothing and returns at once. */
export async function renewAccount (): Promise<void> {
  const { validUntil = Infinity } = offers.value
  const tried = 'renewed'
  const isOpened = /^(?:#\/?)?$/.test(location.hash) && !playing.value && sessionStorage.getItem(tried) === null
  if (!isOpened || validUntil - Date.now() > renewedBefore) return
  // Once for each tab: the provider may reject it.
  sessionStorage.setItem(tried, '')
  const { url } = await ask<{ url: string }>('begin', { silent: true }, ownToken())
  location.replace(url)
}
