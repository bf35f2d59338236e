import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts text. Only the secret opens it, and only with the associated data that it was sealed with. */
export interface Seal {
  seal (text: string, associatedData: string): Uint8Array
  /**
   * @returns `undefined` when no secret opens it: it was sealed with another one or with other data, or has been
   * changed
   */
  open (sealed: Uint8Array, associatedData: string): string | undefined
}

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/** @param secrets of 32 bytes or more; the first one seals, all of them open */
export function createSeal (secrets: readonly (string | Uint8Array)[]): Seal {
  const keys = secrets.map(secret =>
    Buffer.from(hkdfSync('sha256', secret, '', 'fastify-source-origin/accounts sessions', 32)))

  return {
    seal (text, associatedData) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, keys[0]!, nonce, { authTagLength: tagLength })
        .setAAD(Buffer.from(associatedData))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open (sealed, associatedData) {
      for (const key of keys) {
        try {
          const nonce = sealed.subarray(0, nonceLength)
          const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
            .setAAD(Buffer.from(associatedData)).setAuthTag(sealed.subarray(-tagLength))
          return decipher.update(sealed.subarray(nonceLength, -tagLength), undefined, 'utf8') + decipher.final('utf8')
        } catch {
          // Another secret may open it.
        }
      }
    }
  }
}
