import { createHash, randomBytes } from 'node:crypto'

/** `so_`, an id of 12 and a secret of 43 characters. They are split by length, because base64url contains `_`. */
const form = /^so_([\w-]{12})_([\w-]{43})$/

export interface TokenParts { id: string, secret: string }

/** Creates a token: 9 random bytes as its id and 32 as its secret. */
export function createToken (): TokenParts & { token: string } {
  const id = randomBytes(9).toString('base64url')
  const secret = randomBytes(32).toString('base64url')
  return { id, secret, token: `so_${id}_${secret}` }
}

/** Returns the parts of a token; `undefined` for any other string. */
export function parseToken (token: string): TokenParts | undefined {
  const [, id, secret] = form.exec(token) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/**
 * Returns the hash of the secret of a one-time token. It differs from `hashOf`, so that `find` does not accept the
 * token.
 */
export const hashOfOnce = (secret: string): Uint8Array => hashOf(`once ${secret}`)

/** Returns SHA-256. Slow hashes are for passwords that people choose; a secret of 256 random bits cannot be guessed. */
export const hashOf = (secret: string): Uint8Array => createHash('sha256').update(secret).digest()
