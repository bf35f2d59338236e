import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createAccounts, createEncryption, type Accounts, type Encryption } from 'fastify-source-origin/accounts'
import { kyselyStore } from 'fastify-source-origin/accounts/kysely'
import { loadMediaKey } from '../media/load-media-key.ts'
import type { Settings } from '../start/settings.ts'
import { StartError } from '../start/start-error.ts'
import { State } from '../state/state.ts'
import { messageOf, openDatabase, whenUnlocked } from '../database/open-database.ts'
import { findAccount } from './account-name.ts'
import { owner } from './owner.ts'

/**
 * Opens the accounts and their data.
 *
 * @param token of the account `owner`
 * @throws StartError if the database cannot be used
 */
export async function openAccounts (
  { DATA_DIR, DATABASE_URL, DATABASE_CONNECTIONS }:
  Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'DATABASE_CONNECTIONS'>,
  token: string,
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>
): Promise<{ accounts: Accounts, state: State, seal: Encryption, secret: Buffer }> {
  const db = await openDatabase(DATA_DIR, DATABASE_URL, log, DATABASE_CONNECTIONS)
  const state = new State(db, DATABASE_CONNECTIONS)
  const firstChanges = async () => {
    await state.addAccount(owner)
    return loadMediaKey(DATA_DIR, DATABASE_URL === '' ? undefined : state)
  }
  const secret = await whenUnlocked(log, firstChanges).catch(async error => {
    await state.close()
    if (error instanceof StartError) throw error
    throw new StartError(`The database of accounts cannot be written to: ${messageOf(error.cause)}`)
  })
  // App passwords are encrypted with the secret, so a copy of the database alone does not reveal them.
  const accounts = createAccounts({ store: kyselyStore(db), tokens: { ...token && { [owner]: token } }, secret })
  return { accounts: tellsUses(findsNames(accounts, state), state), state, seal: createEncryption(secret), secret }
}

/** Extends `logIn`: a name that is typed differently finds its account, if only one matches. */
function findsNames (accounts: Accounts, state: State): Accounts {
  return {
    ...accounts,
    async logIn (login) {
      const { username: typed } = login
      const answer = await accounts.logIn(login).catch(refusal => ({ refusal }))
      if (typeof answer === 'string' || typed === undefined) return answerOf(answer)
      const username = findAccount(await state.accounts(), typed)
      return username === undefined || username === typed ? answerOf(answer) : accounts.logIn({ ...login, username })
    }
  }
}

/** Extends `list` with the last use of each token. */
function tellsUses (accounts: Accounts, state: State): Accounts {
  return {
    ...accounts,
    async list (account) {
      const [tokens, uses] = await Promise.all([accounts.list(account), state.uses.of(account)])
      return tokens.map(token => ({ ...token, ...uses.get(token.id) }))
    },
    async rotate (id, options) {
      const token = await accounts.rotate(id, options)
      await state.uses.forget(id)
      return token
    },
    async revoke (id) {
      const isRevoked = await accounts.revoke(id)
      await state.uses.forget(id)
      return isRevoked
    }
  }
}

function answerOf (answer: string | null | { readonly refusal: unknown }): string | null {
  if (typeof answer === 'object' && answer !== null) throw answer.refusal
  return answer
}

/**
 * The time limit in milliseconds of running requests and of saving their data at shutdown. Docker kills after ten
 * seconds, and an unresponsive database takes another second.
 */
export const endWithin = 7000

/** Closes the data of accounts after the server has closed, without waiting for an unresponsive database. */
export function closeInTime (
  app: FastifyInstance, state: State, { SHUTDOWN_DELAY }: Pick<Settings, 'SHUTDOWN_DELAY'>
): void {
  let closeAt = Infinity
  app.addHook('preClose', async () => { closeAt = performance.now() + SHUTDOWN_DELAY * 1000 + endWithin })
  app.addHook('onClose', () => state.close(closeAt - performance.now()))
}
