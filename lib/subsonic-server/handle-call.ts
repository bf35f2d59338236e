import type { FastifyReply, FastifyRequest } from 'fastify'
import { withinTime } from '../async/timed-call.ts'
import type { RegisteredSource } from '../registrations.ts'
import type { Account } from './account/account.ts'
import { Accounts } from './account/accounts.ts'
import type { Call, Method } from './call.ts'
import type { CheckedOptions } from './check-options.ts'
import { readError } from '../errors/read-error.ts'
import { secretsIn } from '../errors/without-secrets.ts'
import { readLogin, type SubsonicLogin } from './login.ts'
import type { MediaSender } from './media/media-sender.ts'
import { annotateMethods } from './methods/annotate.ts'
import { browseMethods } from './methods/browse.ts'
import { listMethods } from './methods/lists.ts'
import { lyricsMethods } from './methods/lyrics.ts'
import { mediaMethods } from './methods/media.ts'
import { playlistMethods } from './methods/playlists.ts'
import { searchMethods } from './methods/search.ts'
import { extensionsOf, serverMethods } from './methods/server.ts'
import { Parameters } from './parameters.ts'
import { RestCall } from './rest-call.ts'
import { Session } from './session.ts'
import { asSubsonicError, SubsonicError } from './subsonic-error.ts'
import { writeAnswer } from './write-answer.ts'
import type { JsonObject } from './write-xml.ts'

const methods: Readonly<Record<string, Method>> = {
  ...serverMethods,
  ...browseMethods,
  ...listMethods,
  ...searchMethods,
  ...playlistMethods,
  ...annotateMethods,
  ...lyricsMethods
}

/** A secret that is shorter can be guessed from the tokens that apps send. */
const shortestSecret = 16

/**
 * What answers every path below `/rest`, unknown ones too: apps take another HTTP status for a server that is not
 * there.
 */
export function createCallHandler (options: CheckedOptions, registered: RegisteredSource, media: MediaSender) {
  const { source, resolveContext, adapterTimeout: timeout } = registered
  const accounts = new Accounts(options)
  source.onInvalid(invalidation => accounts.invalidate(invalidation))
  let hasWarned = false

  /** @throws SubsonicError 40 to 44 for who is refused */
  async function logIn (login: SubsonicLogin, call: RestCall, reply: FastifyReply): Promise<Session<Account>> {
    const { kind, username, client, request } = login
    const refuse = () => {
      const names = { username: username?.slice(0, 64), client: client.slice(0, 64) }
      request.log.warn({ ...names, address: request.ip }, 'login refused')
      return kind === 'apiKey'
        ? new SubsonicError(44, 'Invalid API key')
        : new SubsonicError(40, 'Wrong username or password')
    }
    const verify = (secret: string) => {
      const isRight = login.verify(secret)
      if (isRight && secret.length < shortestSecret && !hasWarned) {
        hasWarned = true
        request.log.warn(`A secret of less than ${shortestSecret} characters was used: ` +
          'it can be guessed from the tokens that apps send')
      }
      return isRight
    }
    const authorization = await withinTime(call, () => options.resolveLogin({ ...login, verify })).catch(refuseLogin)
    if (authorization === false || authorization === '' || authorization == null) throw refuse()
    if (typeof authorization !== 'string') throw new TypeError('resolveLogin must give a text, or null to refuse')
    call.secrets.push(...secretsIn(authorization))
    const resolve = async () => {
      try {
        const { signal } = call
        return source.contextOf(await withinTime(call, () => resolveContext({ authorization, request, signal })))
      } catch (error) {
        throw readError(error, []).status === 401 ? refuse() : error
      }
    }
    const context = await resolve()
    const { accountName } = context
    if (accountName !== undefined) request.log = reply.log = request.log.child({ accountName })
    const account = accounts.of(context, authorization)
    return new Session({ account, source, call, context, resolve, timeout })
  }

  /** @returns `undefined` where the answer has been sent */
  async function answer (
    restCall: RestCall, reply: FastifyReply, parameters: Parameters, method: string
  ): Promise<JsonObject | undefined> {
    if (method === 'getOpenSubsonicExtensions') return extensionsOf(options.hasLogin)
    const isMedia = Object.hasOwn(mediaMethods, method)
    const { request, secrets } = restCall
    const login = readLogin(parameters, request, restCall.signal)
    secrets.push(...secretsIn(login.secret))
    const session = await logIn(login, restCall, reply)
    // Others would wait for what it starts.
    if (restCall.isOver) throw new SubsonicError(0, 'The client hung up')
    if (!isMedia && !Object.hasOwn(methods, method)) throw new SubsonicError(0, `Unknown method ${method}`)
    const call: Call = {
      options,
      parameters,
      session,
      media,
      username: login.username ?? session.context.accountName ?? options.name,
      client: login.client,
      isOpen: knowsOpenSubsonic(login.version),
      request,
      reply
    }
    try {
      if (!isMedia) return await methods[method]!(call)
      await mediaMethods[method]!(call)
    } catch (error) {
      const shown = asSubsonicError(error, request.log, secrets)
      // A player would keep what comes with 200 as music. What is wrong with the call itself stays 200.
      if (isMedia && shown.code !== 10) reply.code(shown.status)
      throw shown
    } finally {
      accounts.recount(session.account)
    }
  }

  return async function handleCall (
    request: FastifyRequest, reply: FastifyReply, method: string, broken?: Error
  ): Promise<FastifyReply> {
    const parameters = new Parameters(request.query, request.body)
    const call = new RestCall(request, reply, timeout)
    let result: JsonObject | SubsonicError | undefined
    try {
      if (broken !== undefined) throw broken
      result = await answer(call, reply, parameters, method)
    } catch (error) {
      result = asSubsonicError(error, request.log, call.secrets)
      if (result.retryAfter !== undefined) reply.header('retry-after', String(result.retryAfter))
    }
    const written = result && await writeAnswer(options.name, parameters, result)
    // A hook of the host may have answered. Fastify's warning of that has the URL in it, with the login.
    if (written !== undefined && !reply.sent) {
      const { type, body } = written
      reply.header('content-type', type).header('cache-control', 'no-store').send(body)
    }
    return reply
  }
}

/** Whether the version of the protocol is 1.13 or later; one that is not told is new. */
function knowsOpenSubsonic (version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version.trim()) ?? []
  return major === undefined || Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 13)
}

/** A 401 of `resolveLogin` whose code is one of Subsonic's for logins says more than that it is wrong. */
function refuseLogin (error: unknown): never {
  const { status, code, message } = readError(error, [])
  throw status === 401 && code >= 40 && code <= 44 ? new SubsonicError(code, message) : error
}
