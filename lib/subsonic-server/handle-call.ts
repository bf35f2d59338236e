import type { FastifyReply, FastifyRequest } from 'fastify'
import { CurrentCall, type RegisteredSource } from '../request/index.ts'
import { withoutMediaHeaders } from '../media/internal.ts'
import { sendForError } from '../reply/index.ts'
import type { RestAccounts } from './account/rest-accounts.ts'
import type { Call, Method } from './call.ts'
import { serverType, type ValidOptions } from './subsonic-options.ts'
import { hungUp, limitLongAnswers } from './limit-long-answers.ts'
import { createLogIn } from './log-in.ts'
import { readLogin, type SubsonicLogin } from './read-login.ts'
import type { MediaSender } from './media/media-sender.ts'
import { annotateMethods } from './methods/annotate-methods.ts'
import { browseMethods } from './methods/browse-methods.ts'
import { listMethods } from './methods/list-methods.ts'
import { lyricsMethods } from './methods/lyrics-methods.ts'
import { getTranscodeDecision, mediaMethods } from './methods/media-methods.ts'
import { playlistMethods } from './methods/playlist-methods.ts'
import { playMethods } from './methods/play-methods.ts'
import { searchMethods } from './methods/search-methods.ts'
import { extensionsOf, serverMethods } from './methods/server-methods.ts'
import { Parameters } from './parameters.ts'
import { keepsPlaysOf } from '../contract/keeps-plays.ts'
import { asSubsonicError, SubsonicError } from './subsonic-error.ts'
import { writeAnswer, type WrittenAnswer } from './write-answer.ts'
import type { JsonObject } from './write-xml.ts'

const methods: Readonly<Record<string, Method>> = {
  ...serverMethods,
  ...browseMethods,
  ...listMethods,
  ...searchMethods,
  ...playlistMethods,
  ...annotateMethods,
  ...playMethods,
  ...lyricsMethods,
  getTranscodeDecision
}

/** Handles every path below `/rest`, also unknown ones: apps treat other HTTP statuses as an unreachable server. */
export function createCallHandler (
  options: ValidOptions, registered: RegisteredSource, media: MediaSender, accounts: RestAccounts
) {
  registered.source.onInvalid(invalidation => accounts.invalidate(invalidation))
  registered.source.plays.onHeard(async (heard, { key, context: { adapter } }) => {
    // A source that reports plays stores them itself.
    if (!keepsPlaysOf(adapter, heard.track)) await accounts.stateOf(key).keepPlay(heard)
  }, key => accounts.stateOf(key).playCounts.outdate())
  const logIn = createLogIn(options, registered, accounts)
  const limitLong = limitLongAnswers()

  async function begin (call: CurrentCall, reply: FastifyReply, parameters: Parameters): Promise<Call> {
    const { request } = call
    const login = readLogin(parameters, request, call.signal)
    call.hide(login.secret)
    const session = await logIn(login, call)
    // Other calls would wait for the work that it starts.
    if (call.isOver) throw hungUp()
    if (parameters.all('musicFolderId').some(id => id !== '1')) throw new SubsonicError(70, 'Music folder not found')
    const { accountName } = session.context
    return {
      options,
      parameters,
      session,
      media,
      username: login.username ?? accountName ?? serverType,
      // Few methods need it, and it compares hashes of the user name and of the secret.
      get shownName () { return accountName ?? nameOf(login) ?? serverType },
      client: login.client,
      isOpen: knowsOpenSubsonic(login.version),
      long: limitLong(session.account.state.key, call, reply.raw),
      request,
      reply
    }
  }

  /** Replies whose media response has started. A hook of the parent app may still fail. */
  const begun = new WeakSet<FastifyReply>()

  return async function handleCall (
    request: FastifyRequest, reply: FastifyReply, method: string, broken?: unknown
  ): Promise<FastifyReply> {
    const parameters = new Parameters(request.query, request.body)
    const restCall = new CurrentCall(request, reply, registered.adapterTimeout)
    const sendMedia = ownMember(mediaMethods, method)
    let call: Call | undefined
    // Responses before the login are never long.
    const goOn = () => call!.long.takePlace()
    const write = (answer: JsonObject | SubsonicError) => writeAnswer(serverType, parameters, answer, goOn)
    let written: WrittenAnswer | undefined
    try {
      if (broken !== undefined) throw broken
      let result: JsonObject | undefined
      if (method === 'getOpenSubsonicExtensions') result = extensionsOf(options)
      else {
        call = await begin(restCall, reply, parameters)
        if (sendMedia !== undefined) {
          begun.add(reply)
          await sendMedia(call)
        } else result = await methodOf(method)(call)
      }
      written = result && await write(result)
    } catch (error) {
      const result = asSubsonicError(error, request.log, restCall.secrets, method)
      // A player would store a 200 response as music. Errors in the call itself are still sent with 200.
      const isBegun = call !== undefined || begun.has(reply)
      if (isBegun && sendMedia !== undefined && result.code !== 10) reply.code(result.status)
      withoutMediaHeaders(reply)
      if (result.retryAfterSeconds !== undefined) reply.header('retry-after', String(result.retryAfterSeconds))
      written = await write(result)
    }
    if (call !== undefined) accounts.recount(call.session.account)
    // A hook of the parent app may have sent a response. Fastify's warning about it would log the URL with the login.
    if (written !== undefined && !reply.sent) {
      const { type, body } = written
      call?.long.limitPauses()
      reply.header('cache-control', 'no-store')
      if (broken === undefined) reply.header('content-type', type).send(body)
      else sendForError(reply, body, type)
    }
    return reply
  }
}

const ownMember = <T>(members: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined

function methodOf (name: string): Method {
  const method = ownMember(methods, name)
  if (method === undefined) throw new SubsonicError(0, `Unknown method ${name}`)
  return method
}

/** Returns the user name, unless it is the secret: apps may send the secret in either field. */
const nameOf = ({ username, verify }: SubsonicLogin): string | undefined =>
  username === undefined || verify(username) ? undefined : username

/** Returns whether the protocol version is at least 1.13. A missing version counts as new. */
function knowsOpenSubsonic (version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version.trim()) ?? []
  return major === undefined || Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 13)
}
