import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isObject } from '../options/is-object.ts'
import type { SourceContext } from '../contract/source-context.ts'
import { Account } from './account/account.ts'
import { AccountSession } from './account/account-session.ts'
import type { Call, Method } from './call.ts'
import type { CheckedOptions } from './check-options.ts'
import { readError } from '../errors/read-error.ts'
import { longAsBytes } from '../reply/send-json.ts'
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
import type { ReadData } from './read-data.ts'
import { openLine, type Line } from './session.ts'
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

/** Accounts that are remembered, those used last. */
const mostAccounts = 1000

/** A secret that is shorter can be guessed from the tokens that apps send. */
const shortestSecret = 16

/**
 * What answers every path below `/rest`, unknown ones too: apps take another HTTP status for a server that is not
 * there.
 */
export function createCallHandler (options: CheckedOptions, media: MediaSender, readData: ReadData) {
  const accounts = new LRUCache<string, Account>({ max: mostAccounts })
  let hasWarned = false

  const accountOf = (context: SourceContext, authorization: string): Account => {
    const key = context.account ?? createHash('sha256').update(authorization).digest('base64url')
    // Pictures are remembered by their URLs, which depend on it.
    const place = JSON.stringify([key, context.variant ?? ''])
    const account = accounts.get(place) ?? new Account(key, options)
    accounts.set(place, account)
    return account
  }

  /** @throws SubsonicError 40 to 44 for who is refused */
  async function logIn (
    login: SubsonicLogin, line: Line, reply: FastifyReply, secrets: string[]
  ): Promise<AccountSession> {
    const { kind, username, client, request } = login
    const refuse = () => {
      request.log.warn({ username, client, address: request.ip }, 'login refused')
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
    const authorization = await options.resolveLogin({ ...login, verify })
    if (authorization === false || authorization === '' || authorization == null) throw refuse()
    if (typeof authorization !== 'string') throw new TypeError('resolveLogin must give a text, or null to refuse')
    secrets.push(authorization)
    const context = await resolve(authorization, request, line)
    if (!context) throw refuse()
    if (typeof context !== 'object' || !isObject(context.adapter)) {
      throw new TypeError('resolveContext must give null or an object with an adapter')
    }
    const { accountName } = context
    if (accountName !== undefined) request.log = reply.log = request.log.child({ accountName })
    const surroundings = { readData, timeout: options.adapterTimeout, secrets }
    return new AccountSession(accountOf(context, authorization), context, request.log, surroundings, line)
  }

  /** A context; `null` where it is refused by an error, too. */
  async function resolve (authorization: string, request: FastifyRequest, { controller: { signal } }: Line) {
    try {
      return await options.resolveContext({ authorization, request, signal })
    } catch (error) {
      if (readError(error, []).status === 401) return null
      throw error
    }
  }

  /**
   * @param secrets gets those of the login
   * @returns `undefined` where the answer has been sent
   */
  async function answer (
    request: FastifyRequest, reply: FastifyReply, parameters: Parameters, method: string, secrets: string[]
  ): Promise<JsonObject | undefined> {
    if (method === 'getOpenSubsonicExtensions') return extensionsOf(options.hasLogin)
    const isMedia = Object.hasOwn(mediaMethods, method)
    const line = openLine(reply)
    const login = readLogin(parameters, request, line.controller.signal)
    if (login.secret !== undefined) secrets.push(login.secret)
    const session = await logIn(login, line, reply, secrets)
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
    }
  }

  return async function handleCall (
    request: FastifyRequest, reply: FastifyReply, method: string, broken?: Error
  ): Promise<FastifyReply> {
    const parameters = new Parameters(request.query, request.body)
    const secrets: string[] = []
    let result: JsonObject | SubsonicError | undefined
    try {
      if (broken !== undefined) throw broken
      result = await answer(request, reply, parameters, method, secrets)
    } catch (error) {
      result = asSubsonicError(error, request.log, secrets)
      if (result.retryAfter !== undefined) reply.header('retry-after', String(result.retryAfter))
    }
    if (result !== undefined) {
      const { type, body } = writeAnswer(options.name, parameters, result)
      reply.header('content-type', type).header('cache-control', 'no-store').send(longAsBytes(body))
    }
    return reply
  }
}

/** Whether the version of the protocol is 1.13 or later; one that is not told is new. */
function knowsOpenSubsonic (version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version.trim()) ?? []
  return major === undefined || Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 13)
}
