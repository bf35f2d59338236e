import { createHmac } from 'node:crypto'
import { SourceError, tokenMatches } from 'fastify-source-origin'

/** The part of a media URL that proves it: seconds since 1970, and the signature. */
export interface Proof { expires?: string, signature?: string }

/** Signs what is served, and checks it. */
export interface Signer {
  /** The path with its proof; valid for the whole time to live. */
  sign (path: string): string
  /**
   * The same for what clients keep: the URL stays the same for a while, so that caches know it again. It is valid for at
   * least half of the time to live, and never for more.
   */
  signSteadily (path: string): string
  /** @throws SourceError (403) for a proof that was changed, is of another path or has expired */
  check (path: string, proof: Proof): void
}

/**
 * @param key secret of the source
 * @param timeToLive seconds
 */
export function createSigner (key: Buffer, timeToLive: number): Signer {
  const signatureOf = (path: string, expires: string) => createHmac('sha256', key).update(`${expires} ${path}`).digest('base64url')
  const prove = (path: string, expires: number) => `${path}?expires=${expires}&signature=${signatureOf(path, String(expires))}`
  const now = () => Date.now() / 1000
  const step = Math.max(1, Math.floor(timeToLive / 2))

  return {
    sign: path => prove(path, Math.ceil(now() + timeToLive)),
    signSteadily: path => prove(path, Math.floor(now() / step) * step + timeToLive),
    check (path, { expires = '', signature }) {
      // The SDK's comparison takes the same time whatever is wrong.
      if (!tokenMatches(signature, signatureOf(path, expires))) throw new SourceError(403, 'The signature of this URL is wrong')
      if (Number(expires) < now()) throw new SourceError(403, 'This URL has expired')
    }
  }
}
