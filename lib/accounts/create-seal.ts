import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts text. It can only be read with the secret, and only for the place that it was sealed for. */
export interface Seal {
  seal (text: string, place: string): Uint8Array
  /**
   * @returns `undefined` when no secret opens it: it was sealed with another one or for another place, or has been
   * changed
   */
  open (sealed: Uint8Array, place: string): string | undefined
}

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/** @param secrets of 32 bytes or more; the first one seals, all of them open */
export function createSeal (secrets: readonly (string | Uint8Array)[]): Seal {
  const keys = secrets.map(secret =>
    Buffer.from(hkdfSync('sha256', secret, '', 'fastify-source-origin/accounts sessions', 32)))

  return {
    seal (text, place) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, keys[0]!, nonce, { authTagLength: tagLength }).setAAD(Buffer.from(place))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open (sealed, place) {
      for (const key of keys) {
        try {
          const nonce = sealed.subarray(0, nonceLength)
          const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
            .setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-tagLength))
          return decipher.update(sealed.subarray(nonceLength, -tagLength), undefined, 'utf8') + decipher.final('utf8')
        } catch {
          // Another secret may open it.
        }
      }
    }
  }
}
