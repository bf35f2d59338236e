import { handled } from '../async/handled.ts'
import { SingleFlight } from '../async/single-flight.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { invalidOption, sealedSession } from '../errors/author-errors.ts'
import { TimeoutError, UnauthorizedError } from '../contract/errors.ts'
import { channels } from '../tracing/channels.ts'
import { trace } from '../tracing/trace.ts'
import type { AccountStore } from './account-store.ts'
import type { Seal } from './create-seal.ts'
import { KnownSessions, type Loaded } from './known-sessions.ts'
import { refreshTimeout } from './refresh-timeout.ts'

export interface SessionOptions<S> {
  /**
   * Makes a new session from the old one; without an old one, the first session. After 30 seconds `signal` is aborted.
   * An `UnauthorizedError` means that the old session cannot be refreshed any more. After any other error it is tried
   * again later.
   *
   * @returns a value that JSON can hold
   */
  refresh: (old: S | undefined, call: { signal: AbortSignal }) => Promise<S>
}

/** The session of an account at the upstream, for example its cookies. */
export interface Session<S> {
  /**
   * Calls `run` with the session. If that throws an `UnauthorizedError`, the session is refreshed, once for all who
   * wait, and `run` is called once more.
   *
   * @throws what `run` or `refresh` throws; after a refused refresh the same error for a minute, without another
   * refresh
   */
  use<T> (run: (session: S) => Promise<T>): Promise<T>
  /** Stores a session that was made in another way, for example when its owner has logged in. */
  save (session: S): Promise<void>
}

type Refresh<S> = SessionOptions<S>['refresh']

/** An account that was removed and added again counts its versions from 1 again, so they say too little. */
const isSame = (one: Loaded, other: Loaded) => one.version === other.version && one.text === other.text

/** What this process knows of the session of an account besides what is stored. */
interface State {
  /** The same for all refreshes until the session is removed, or another one is saved. */
  life?: symbol
  /**
   * A refreshed session that could not be stored. The old one may be invalid now, so the upstream is not asked again.
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

/** @throws UnauthorizedError when nothing is stored any more */
function unlessGone (stored: Loaded): Loaded {
  if (stored.version === 0) throw new UnauthorizedError('This account is gone')
  return stored
}

/** The stored session of an account, sealed for this account and its version. */
function openWith (store: AccountStore, { seal, open }: Seal, account: string) {
  const associatedData = (version: number) => JSON.stringify([account, version])
  return {
    async load (): Promise<Loaded> {
      const record = await store.loadSession(account)
      if (record === undefined) return none
      const text = open(record.data, associatedData(record.version))
      if (text === undefined) throw sealedSession()
      return { text, version: record.version }
    },
    save: ({ text, version }: Loaded) => store.saveSession(account, seal(text, associatedData(version)), version - 1)
  }
}

/** Sessions of accounts at the upstream: stored, sealed, and refreshed by one at a time over all replicas. */
export function createSessions (store: AccountStore, seal: Seal) {
  const states = new Map<string, State>()
  const refreshes = new SingleFlight<Loaded>()
  const known = new KnownSessions()

  function change (account: string, known: State) {
    states.set(account, { ...states.get(account), ...known })
  }

  function refuse (account: string, session: Loaded, error: unknown): never {
    if (error instanceof UnauthorizedError) {
      // Another replica may store one that works.
      known.forget(account)
      change(account, { refused: { session, until: performance.now() + refusedFor, error } })
    }
    throw error
  }

  /** Asks the upstream for the next session, and keeps it as unsaved. */
  function refreshInTime<S> (account: string, old: Loaded, refresh: Refresh<S>): Promise<Loaded> {
    const session = old.version === 0 ? undefined : JSON.parse(old.text) as S
    const life = states.get(account)?.life ?? Symbol('life')
    change(account, { life })
    // A session that comes after the time limit is kept as well: the old one may be invalid now.
    return withTimeout(async ({ signal }) => {
      const made = await traced(account, () => refresh(session, { signal }), signal)
      const fresh = { text: write(made, 'refresh()'), version: old.version + 1 }
      if (states.get(account)?.life === life) change(account, { unsaved: { old, fresh } })
      return fresh
    }, { timeout: refreshTimeout, error: () => new TimeoutError('No new session from the upstream in time') })
  }

  /** The session after the one that has failed: one that another replica stored meanwhile, or a new one. */
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

  /** The same, once for all who wait. */
  async function renewTogether<S> (account: string, failed: Loaded, refresh: Refresh<S>): Promise<Loaded> {
    const refused = states.get(account)?.refused
    if (refused !== undefined && isSame(refused.session, failed) && performance.now() < refused.until) {
      throw refused.error
    }
    for (;;) {
      const fresh = await refreshes.do(account, () => renew(account, failed, refresh))
      // A refresh that began with an older session may give the same session that has failed here.
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
    /** Removes all that is stored of an account, after a refresh that is under way. */
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
