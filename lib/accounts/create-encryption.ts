import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'

/** A string or bytes, at least 32 bytes, or a list of these. The first secret encrypts, all of them decrypt. */
export type Secret = string | Uint8Array | readonly (string | Uint8Array)[]

/** Encrypts strings. Decryption requires the secret and the same associated data. */
export interface Encryption {
  encrypt (text: string, associatedData: string): Uint8Array
  /**
   * @returns `undefined` if no secret decrypts it: it was encrypted with another secret or other data, or has been
   * changed
   */
  decrypt (sealed: Uint8Array, associatedData: string): string | undefined
}

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

const isSecret = (value: unknown) =>
  (typeof value === 'string' || value instanceof Uint8Array) && Buffer.byteLength(value) >= 32

export const secretRule: MemberRule = {
  must: 'a string or Uint8Array of 32 bytes or more, or a list of such',
  holds: value => Array.isArray(value) ? value.length > 0 && value.every(isSecret) : isSecret(value)
}

/**
 * Creates an encryption for account data in a database, such as a token of another service. `createAccounts` uses it
 * for sessions. The associated data contains the purpose and the account, so that encrypted data cannot be used for
 * another purpose or account.
 *
 * @param secret may be the secret of `createAccounts`
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION for a secret that is too short
 */
export function createEncryption (secret: Secret): Encryption {
  validateMembers({ secret }, { secret: secretRule })
  return encryptionBy(secret)
}

/** @param secret an empty list decrypts nothing */
export function encryptionBy (secret: Secret): Encryption {
  const keys = [secret].flat().map(secret =>
    Buffer.from(hkdfSync('sha256', secret, '', 'fastify-source-origin/accounts sessions', 32)))

  return {
    encrypt (text, associatedData) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, keys[0]!, nonce, { authTagLength: tagLength })
        .setAAD(Buffer.from(associatedData))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    decrypt (sealed, associatedData) {
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
