import { handled } from '../async/handled.ts'
import { SingleFlight } from '../async/single-flight.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { invalidOption, encryptedSession } from '../errors/author-errors.ts'
import { TimeoutError, UnauthorizedError } from '../contract/errors.ts'
import { channels } from '../tracing/channels.ts'
import { trace } from '../tracing/trace.ts'
import type { AccountStore } from './account-store.ts'
import type { Encryption } from './create-encryption.ts'
import { SessionCache, type Loaded } from './session-cache.ts'
import { refreshTimeout } from './refresh-timeout.ts'

export interface SessionOptions<S> {
  /**
   * Creates a new session from the old one, or the first session if `old` is `undefined`. `signal` is aborted after 30
   * seconds. An `UnauthorizedError` means that the old session cannot be refreshed any more. After any other error the
   * refresh is tried again later.
   *
   * @returns a JSON-serializable value
   */
  refresh: (old: S | undefined, call: { signal: AbortSignal }) => Promise<S>
}

/** The session of an account at the upstream, for example its cookies. */
export interface Session<S> {
  /**
   * Calls `run` with the session. If that throws an `UnauthorizedError`, the session is refreshed, once for all waiting
   * calls, and `run` is called once more.
   *
   * @throws the error of `run` or `refresh`. After a rejected refresh, the same error for a minute, without another
   * refresh.
   */
  use<T> (run: (session: S) => Promise<T>): Promise<T>
  /** Stores a session that was created in another way, for example by a login of the account's owner. */
  save (session: S): Promise<void>
}

type Refresh<S> = SessionOptions<S>['refresh']

/** The versions of an account that was removed and added again restart at 1, so the version alone is not sufficient. */
const isSame = (one: Loaded, other: Loaded) => one.version === other.version && one.text === other.text

/** The state of an account's session in this process besides the stored session. */
interface State {
  /** Identifies all refreshes until the session is removed or replaced by `save`. */
  life?: symbol
  /**
   * A refreshed session that could not be stored. The old session may be invalid now, so the upstream is not called
   * again.
   */
  unsaved?: { old: Loaded, fresh: Loaded } | undefined
  /** The session that could not be refreshed. */
  refused?: { session: Loaded, until: number, error: UnauthorizedError } | undefined
}

const refusedFor = 60_000
const none: Loaded = { text: '', version: 0 }

/** @param whose name of the option or argument */
function write (session: unknown, whose: string): string {
  const text: string | undefined = JSON.stringify(session)
  if (text === undefined) throw invalidOption(whose, 'a value that JSON can hold')
  return text
}

/** @throws UnauthorizedError if no session is stored any more */
function unlessGone (stored: Loaded): Loaded {
  if (stored.version === 0) throw new UnauthorizedError('This account is gone')
  return stored
}

/** Opens the stored session of an account, encrypted for this account and its version. */
function openWith (store: AccountStore, { encrypt: seal, decrypt: open }: Encryption, account: string) {
  const associatedData = (version: number) => JSON.stringify([account, version])
  return {
    async load (): Promise<Loaded> {
      const record = await store.loadSession(account)
      if (record === undefined) return none
      const text = open(record.data, associatedData(record.version))
      if (text === undefined) throw encryptedSession()
      return { text, version: record.version }
    },
    save: ({ text, version }: Loaded) => store.saveSession(account, seal(text, associatedData(version)), version - 1)
  }
}

/**
 * Creates the upstream sessions of accounts: stored encrypted, and refreshed by one process at a time across all
 * replicas.
 */
export function createSessions (store: AccountStore, seal: Encryption) {
  const states = new Map<string, State>()
  const refreshes = new SingleFlight<Loaded>()
  const known = new SessionCache()

  function change (account: string, known: State) {
    states.set(account, { ...states.get(account), ...known })
  }

  function refuse (account: string, session: Loaded, error: unknown): never {
    if (error instanceof UnauthorizedError) {
      // Another replica may store a valid session.
      known.forget(account)
      change(account, { refused: { session, until: performance.now() + refusedFor, error } })
    }
    throw error
  }

  /** Requests the next session from the upstream, and stores it as unsaved. */
  function refreshInTime<S> (account: string, old: Loaded, refresh: Refresh<S>): Promise<Loaded> {
    const session = old.version === 0 ? undefined : JSON.parse(old.text) as S
    const life = states.get(account)?.life ?? Symbol('life')
    change(account, { life })
    // A session that arrives after the time limit is stored as well, because the old one may be invalid now.
    return withTimeout(async ({ signal }) => {
      const made = await traced(account, () => refresh(session, { signal }), signal)
      const fresh = { text: write(made, 'refresh()'), version: old.version + 1 }
      if (states.get(account)?.life === life) change(account, { unsaved: { old, fresh } })
      return fresh
    }, { timeout: refreshTimeout, error: () => new TimeoutError('No new session from the upstream in time') })
  }

  /**
   * Returns the session that replaces the failed one: a session that another replica stored in the meantime, or a new
   * one.
   */
  function renew<S> (account: string, failed: Loaded, refresh: Refresh<S>): Promise<Loaded> {
    return store.withLock(lockOf(account), async locked => {
      const { load, save } = openWith(locked, seal, account)
      const stored = await load()
      if (!isSame(stored, failed)) return known.know(account, unlessGone(stored))
      const unsaved = states.get(account)?.unsaved
      const fresh = unsaved !== undefined && isSame(unsaved.old, stored)
        ? unsaved.fresh
        : await refreshInTime(account, stored, refresh).catch(error => refuse(account, failed, error))
      const saved = await save(fresh)
      known.forget(account)
      change(account, { unsaved: undefined, refused: undefined })
      return known.know(account, saved ? fresh : unlessGone(await load()))
    })
  }

  /** Renews a session, once for all waiting calls. */
  async function renewTogether<S> (account: string, failed: Loaded, refresh: Refresh<S>): Promise<Loaded> {
    const refused = states.get(account)?.refused
    if (refused !== undefined && isSame(refused.session, failed) && performance.now() < refused.until) {
      throw refused.error
    }
    for (;;) {
      const fresh = await refreshes.do(account, () => renew(account, failed, refresh))
      // A refresh that began with an older session may return the same session that has failed here.
      if (!isSame(fresh, failed)) return fresh
    }
  }

  function session<S> (account: string, { refresh }: SessionOptions<S>): Session<S> {
    async function use<T> (run: (session: S) => Promise<T>): Promise<T> {
      const stored = await known.read(account, openWith(store, seal, account).load)
      if (stored.version > 0) {
        try {
          return await run(JSON.parse(stored.text))
        } catch (error) {
          if (!(error instanceof UnauthorizedError)) throw error
          known.forget(account)
        }
      }
      const fresh = await renewTogether(account, stored, refresh)
      try {
        return await run(JSON.parse(fresh.text))
      } catch (error) {
        return refuse(account, fresh, error)
      }
    }

    return {
      use: run => handled(use(run)),

      async save (session) {
        const text = write(session, 'session')
        const saved = await store.withLock(lockOf(account), async locked => {
          const version = (await locked.loadSession(account))?.version ?? 0
          return openWith(locked, seal, account).save({ text, version: version + 1 })
        })
        if (!saved) throw new Error('Another session of this account was saved at the same time')
        states.delete(account)
        known.forget(account)
      }
    }
  }

  return {
    session,
    /** Removes the stored tokens and the session of an account, after a running refresh. */
    async remove (account: string) {
      await store.withLock(lockOf(account), locked => locked.removeAccount(account))
      states.delete(account)
      known.forget(account)
    }
  }
}

const traced = <S>(account: string, refresh: () => Promise<S>, signal: AbortSignal): S | Promise<S> =>
  channels.session.hasSubscribers ? trace(channels.session, { account }, refresh, { signal }) : refresh()

const lockOf = (account: string) => `session of ${account}`
