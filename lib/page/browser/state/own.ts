import { readEnvelope } from '../../../client/internal.ts'
import { UpstreamError } from '../../../contract/errors.ts'
import { withoutTrailingSlashes } from '../../../text/without-trailing-slashes.ts'
import type { OwnAnswers } from '../../page-responses.ts'
import type { OwnName, OwnParameters } from '../../page-parameters.ts'
import { text } from '../texts/index.ts'
import { configuration, pageUrl } from './configuration.ts'

// The page's requests to the source beside it, in addition to `/v1`.

export const ownUrl = withoutTrailingSlashes(new URL(configuration.source, pageUrl).href)

/** The maximum size of a response in bytes. Favourites are not paged. */
export const maxBody = 64 * 1024 * 1024

/** Returns whether a source is the one beside the page. Other sources lack the page's routes. */
export const isOwn = ({ url }: { readonly url: string }): boolean => url === ownUrl

/** The parameters of a request. Those with a default are optional. */
export type OwnInput<N extends OwnName> = {
  readonly [K in keyof OwnParameters<N>]?: Given<OwnParameters<N>[K]> | undefined
}
type Given<T> = T extends ReadonlyArray<infer I>
  ? readonly Given<I>[]
  : T extends object ? { readonly [K in keyof T]: Given<T[K]> } : T

const pathOf = (name: OwnName) => name.replace(/^\w+ /, 'page/')

/** Returns the path of a read operation, below the page. */
export function ownPath<N extends OwnName> (name: N, input: OwnInput<N>): string {
  const query = new URLSearchParams(Object.entries(input).flatMap(([key, values]) =>
    [values].flat().map(value => [key, value] as string[])))
  return pathOf(name) + (query.size > 0 ? `?${query}` : '')
}

/**
 * Sends a request with the token of a source that is or was current.
 *
 * @param keepalive whether the request completes after the page is closed
 */
export async function fetchOwn<N extends OwnName> (
  { token }: { readonly token: string }, name: N, input: OwnInput<N> = {}, signal?: AbortSignal, keepalive = false
): Promise<OwnAnswers[N]> {
  const isRead = name.startsWith('GET')
  const method = isRead ? 'GET' : 'POST'
  const path = isRead ? ownPath(name, input) : pathOf(name)
  const headers = { authorization: token, ...!isRead && { 'content-type': 'application/json' } }
  const sent = { method, headers, keepalive, ...signal && { signal }, ...!isRead && { body: JSON.stringify(input) } }
  const response = await fetch(new URL(path, pageUrl), sent)
    .catch(cause => { throw new UpstreamError(text('errorConnection'), { cause }) })
  return await readEnvelope({ method, path }, response, maxBody) as OwnAnswers[N]
}
