import { handled } from '../async/handled.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { UnauthorizedError, UpstreamError } from '../contract/errors.ts'
import { validateMembers, type Rules } from '../options/validate-members.ts'
import { aFunction, anUpstream, hasMethods } from '../options/member-rules.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { mergeHeaders } from './prepare-request.ts'
import type { Upstream, UpstreamResponse, UpstreamRequest, UpstreamScope } from './upstream.ts'

/** The methods of `createAccounts` that are used. */
export interface AccountSessions {
  session<S> (account: string, options: {
    refresh: (old: S | undefined, call: { signal: AbortSignal }) => Promise<S>
  }): { use<T> (run: (session: S) => Promise<T>): Promise<T> }
}

/** The login of an account. */
export interface LoginCall<S> {
  readonly account: string
  /** The session that the upstream rejected; `undefined` for the first session. */
  readonly old: S | undefined
  /** The upstream with the limits of the account and without a session. */
  readonly upstream: Upstream
  /** The signal of the login, aborted after 30 seconds. */
  readonly signal: AbortSignal
}

export interface AccountUpstreamOptions<S> {
  upstream: Upstream
  /** The accounts that store the sessions, created by `createAccounts` with a `secret`. */
  accounts: AccountSessions
  /**
   * Creates a session, a JSON-serializable value. An `UnauthorizedError` means that the account must log in in another
   * way; `login` is then not called again for a minute.
   */
  login: (call: LoginCall<S>) => Promise<S>
  /** Returns the headers that contain the session. */
  headers: (session: S) => Record<string, string>
}

export interface AccountUpstream {
  /** Returns the upstream for one request of an account. */
  for (scope: UpstreamScope & { account: string }): Upstream
}

const rules: Rules = {
  upstream: anUpstream,
  accounts: { must: 'accounts made by createAccounts', holds: hasMethods('session') },
  login: aFunction,
  headers: aFunction
}

/** Converts an UnauthorizedError: a user with a valid token must not receive a 401. */
function refused (error: unknown): never {
  if (!(error instanceof UnauthorizedError)) throw error
  throw new UpstreamError('The music service refused the login of this account', { cause: error })
}

/**
 * Creates an upstream whose calls send the session of their account. When a call throws an `UnauthorizedError`, the
 * account logs in, once for all waiting calls across all replicas, and the call is repeated once. If it is rejected
 * again, it throws an `UpstreamError`.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 * @see docs/reference/upstream.md
 */
export function createAccountUpstream<S> (options: AccountUpstreamOptions<S>): AccountUpstream {
  validateMembers(options, rules)
  const { upstream, accounts, login, headers } = options

  function clientOf (api: Upstream, scope: UpstreamScope & { account: string }): Upstream {
    const { account, signal, log, requestId } = scope
    const session = accounts.session<S>(account, {
      refresh: (old, { signal }) =>
        login({ account, old, signal, upstream: upstream.for({ account, signal, log, requestId }) })
    })
    /** The signal ends the wait for the login if the client disconnects. */
    const call = <T, R>(request: UpstreamRequest<T> = {}, send: (request: UpstreamRequest<T>) => Promise<R>) =>
      handled(withTimeout(() => session.use(session =>
        send({ ...request, headers: mergeHeaders(headers(session), request.headers) })), { signal }).catch(refused))
    return {
      json: <T>(path: string, request?: UpstreamRequest<T>) => call(request, request => api.json<T>(path, request)),
      text: (path, request) => call(request, request => api.text(path, request)),
      bytes: (path, request) => call(request, request => api.bytes(path, request)),
      response: (path, request) => call<Buffer, UpstreamResponse>(request, request => api.response(path, request)),
      for: inner => clientOf(api.for(inner), { ...scope, ...withoutUndefined(inner) }),
      stats: () => upstream.stats(),
      close: () => upstream.close()
    }
  }

  return { for: scope => clientOf(upstream.for(scope), scope) }
}
