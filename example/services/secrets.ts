import type { Encryption } from 'fastify-source-origin/accounts'
import type { Connection } from '../state/listens.ts'

type Place = Pick<Connection, 'account' | 'service'>

const placeOf = ({ account, service }: Place) => JSON.stringify(['connection', account, service])

/** Encrypts a secret for the database. It can only be decrypted for its account and service. */
export const sealSecret = (seal: Encryption, place: Place, secret: string): string =>
  Buffer.from(seal.encrypt(secret, placeOf(place))).toString('base64')

/** @returns `undefined` if it was encrypted with another key, or for another account or service */
export const openSecret = (seal: Encryption, connection: Place & Pick<Connection, 'secret'>): string | undefined =>
  seal.decrypt(Buffer.from(connection.secret, 'base64'), placeOf(connection))
