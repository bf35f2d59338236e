import { invalidOption } from '../errors/author-errors.ts'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import { writeAddLink } from '../text/write-add-link.ts'

export interface AddLinkOptions {
  /** The URL of the source for clients, with scheme and port: `https://music.example:8443`. */
  host: string
  /** The token that the client will send. */
  token: string
  /** The name of the source in the client; may be empty. */
  name: string
}

const text: MemberRule = {
  must: 'a string without &',
  holds: value => typeof value === 'string' && !value.includes('&')
}
const rules: Record<keyof AddLinkOptions, MemberRule> = { host: text, token: text, name: text }

/**
 * Returns the link that adds a source to a client app. It contains the token: show it only to its owner, and do not log
 * it.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function addLink (options: AddLinkOptions): string {
  validateMembers(options, rules)
  const { host, token, name } = options
  if (!/^https?:\/\/./.test(host)) throw invalidOption('host', 'a URL that starts with http:// or https://')
  return writeAddLink(host, token, name)
}
