import { createHmac, createSecretKey } from 'node:crypto'
import { SourceError } from '../contract/errors.ts'
import { hintOfDuration } from '../options/member-rules.ts'
import { tokenMatches } from '../text/token-matches.ts'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'

export interface SignerOptions {
  /**
   * Secrets of at least 32 bytes, shared by all replicas. The first signs, all verify, so that a key can be rotated.
   */
  keys: readonly Uint8Array[]
  /** The validity of a signed URL in milliseconds. */
  ttl: number
}

/** The query of a signed URL, as Fastify parses it: seconds since 1970, and the signature. */
export interface SignedQuery { expires?: unknown, signature?: unknown }

/** Signs paths and checks them. */
export interface Signer {
  /** Returns the path with a signature in its query. It is valid for the complete time to live. */
  sign (path: string): string
  /**
   * Signs URLs that clients cache, such as covers: the URL stays the same for half of the time to live. It is valid for
   * at least half of the time to live, and never for longer than the time to live.
   */
  signStable (path: string): string
  /**
   * Checks the query of a signed path.
   *
   * @throws SourceError (403) if the signature is wrong, expired, or belongs to another path
   */
  check (path: string, query: SignedQuery): void
}

const isKey = (value: unknown) => value instanceof Uint8Array && value.length >= 32

const rules: Record<keyof SignerOptions, MemberRule> = {
  keys: {
    must: 'a list of one or more keys, each a Uint8Array of 32 bytes or more',
    holds: value => Array.isArray(value) && value.length > 0 && value.every(isKey)
  },
  ttl: {
    must: 'a number of milliseconds, 1000 or more',
    holds: value => Number.isFinite(value) && Number(value) >= 1000,
    hint: hintOfDuration
  }
}

/**
 * Creates a signer of URLs that players open without a header: each client with the URL can load it until it expires.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createSigner (options: SignerOptions): Signer {
  validateMembers(options, rules)
  const ttl = options.ttl / 1000
  const keys = options.keys.map(key => createSecretKey(key))
  const signatureOf = (path: string, expires: string, key = keys[0]!) =>
    createHmac('sha256', key).update(`${expires} ${path}`).digest('base64url')
  const prove = (path: string, expires: number) =>
    `${path}?expires=${expires}&signature=${signatureOf(path, String(expires))}`
  const now = () => Date.now() / 1000
  const step = Math.max(1, Math.floor(ttl / 2))

  return {
    sign: path => prove(path, Math.ceil(now() + ttl)),
    signStable: path => prove(path, Math.floor(Math.floor(now() / step) * step + ttl)),
    check (path, { expires, signature }) {
      // All keys are tried, and each comparison takes the same time, so response time reveals nothing about the
      // signature.
      const matching = keys.filter(key => tokenMatches(String(signature), signatureOf(path, String(expires), key)))
      if (matching.length === 0) throw new SourceError(403, 'The signature of this URL is wrong')
      // The signed text may be split at another space of the path. The part before it is then not a time.
      if (!(Number(expires) >= now())) throw new SourceError(403, 'This URL has expired')
    }
  }
}
