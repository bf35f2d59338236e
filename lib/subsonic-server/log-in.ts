import { withinTime } from '../async/timed-call.ts'
import { enter, type CurrentCall, type RegisteredSource } from '../request/index.ts'
import { isError } from '../errors/as-error.ts'
import { readError } from '../errors/read-error.ts'
import { TooManyAttemptsError } from '../errors/too-many-attempts.ts'
import { isLong, shortestSecret } from '../text/shortest-secret.ts'
import type { RestAccount } from './account/rest-account.ts'
import type { RestAccounts } from './account/rest-accounts.ts'
import type { ValidOptions } from './subsonic-options.ts'
import type { SubsonicLogin } from './read-login.ts'
import { serverUrl } from './server-url.ts'
import { RestSession } from './session.ts'
import { SubsonicError } from './subsonic-error.ts'

/** Creates the function that authenticates calls of `/rest` at a source. */
export function createLogIn (
  { resolveLogin, publicUrl }: Pick<ValidOptions, 'resolveLogin' | 'publicUrl'>,
  registered: RegisteredSource, accounts: RestAccounts
) {
  const { source, adapterTimeout: timeout } = registered
  let hasWarned = false

  /** @throws SubsonicError 40 to 44 if the login is rejected */
  return async function logIn (login: SubsonicLogin, call: CurrentCall): Promise<RestSession<RestAccount>> {
    const { kind, username, client, request } = login
    const usual = kind === 'apiKey'
      ? { code: 44, message: 'Invalid API key' }
      : { code: 40, message: 'Wrong username or password' }
    const refuse = ({ code, message } = usual, retryAfterSeconds?: number) => {
      // A name as long as a secret may be a secret in the wrong field.
      const name = username !== undefined && !isLong(username) ? username : undefined
      request.log.warn({ username: name, client: client.slice(0, 64), address: request.ip }, 'login rejected')
      // The page of the source is there, where an account makes app passwords.
      const helpUrl = `${serverUrl(request, publicUrl)}/`
      return new SubsonicError(code, message, { retryAfterSeconds, helpUrl })
    }
    const refuseLogin = (error: unknown): never => {
      if (isError(error) && error instanceof TooManyAttemptsError) {
        throw refuse({ code: error.code ?? usual.code, message: error.message }, error.retryAfterSeconds)
      }
      const { status, code, message } = readError(error, [])
      if (status !== 401 || code < 40 || code > 44) throw error
      // The codes 41 to 43 do not count as attempts: they make apps try another kind of login.
      throw code === usual.code ? refuse({ code, message }) : new SubsonicError(code, message)
    }
    const verify = (secret: string) => {
      const isRight = login.verify(secret)
      if (isRight && !isLong(secret) && !hasWarned) {
        hasWarned = true
        const hint = `Use at least ${shortestSecret} characters: shorter secrets can be guessed from the tokens of apps`
        request.log.warn({ hint }, 'short secret used')
      }
      return isRight
    }
    const authorization = await withinTime(call, () => resolveLogin({ ...login, verify })).catch(refuseLogin)
    if (authorization === false || authorization === '' || authorization == null) throw refuse()
    if (typeof authorization !== 'string') throw new TypeError('resolveLogin must give a text, or null to refuse')
    call.logIn(authorization)
    const resolve = () => enter(registered, call)
      .catch(error => readError(error, []).status === 401 ? Promise.reject(refuse()) : refuseLogin(error))
    const context = await resolve()
    const account = accounts.of(context, authorization)
    return new RestSession({ account, source, call, context, resolve, timeout })
  }
}
