import { createSourceClient } from '../../../client/index.ts'
import { withoutTrailingSlashes } from '../../../text/without-trailing-slashes.ts'
import { pageUrl } from './configuration.ts'
import { decoded, go } from './route.ts'

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

/** Returns the normalised URL of a source. @throws TypeError for an invalid URL */
export function addressIn (typed: string): string {
  const address = withoutTrailingSlashes(new URL(typed.trim()).href)
  createSourceClient({ baseUrl: address })
  return address
}

/** Removes the token from the address bar: `#token=...`, as in the start line of a source. */
export function takeTokenFromFragment (): string | undefined {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (token === undefined) return undefined
  go(pageUrl, true)
  return decoded(token)?.trim()
}
