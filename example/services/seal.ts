import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Seals secrets, so that a copy of the database alone does not tell them. */
export interface Seal {
  seal (text: string): string
  /** @returns `undefined` for what was sealed with another key */
  open (sealed: string): string | undefined
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export function createSeal (secret: Buffer): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'connections', 32))
  return {
    seal (text) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce)
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
    },
    open (sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
          .setAuthTag(bytes.subarray(-tagBytes))
        return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    }
  }
}
