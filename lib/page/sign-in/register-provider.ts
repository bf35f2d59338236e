import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Accounts, Identities } from '../../accounts/index.ts'
import { BadRequestError, SourceError, UnauthorizedError } from '../../contract/errors.ts'
import type { Oidc } from '../../oidc/index.ts'
import { sendError } from '../../reply/index.ts'
import { requestOrigin } from '../../text/request-origin.ts'
import { sendMessage } from '../send-page.ts'
import { checkDaily } from './check-daily.ts'
import { limitCalls } from './limit-calls.ts'
import { requireSameOrigin } from './same-origin.ts'
import { stateCookies, type Pending } from './state-cookies.ts'

/** The values that the routes of the sign-in share. */
export interface SignInParts {
  /** The path of the page, with a trailing slash. */
  readonly path: string
  readonly publicUrl: string | undefined
  readonly accounts: Pick<Accounts, 'find' | 'list'>
  readonly identities: Identities
}

const mostLogouts = 60

/** Registers the routes of the sign-in with a provider. */
export function registerProvider (app: FastifyInstance, oidc: Oidc, parts: SignInParts): void {
  const { path, publicUrl, accounts, identities } = parts
  const cookies = stateCookies(identities.encryption)
  const pageUrl = (request: FastifyRequest) => (publicUrl ?? requestOrigin(request) + app.prefix) + path
  const hidden = { schema: { hide: true }, errorHandler: sendError }
  checkDaily(identities, oidc, app.log)

  async function accountOf (request: FastifyRequest): Promise<Account | undefined> {
    const { authorization } = request.headers
    if (!authorization) return undefined
    const find = async () => await accounts.find(authorization)
    const account = await (app.loginLimiter?.check(request, authorization, find) ?? find())
    if (account === null) throw new UnauthorizedError()
    return account
  }

  app.post<{ Body: { silent?: unknown } | undefined }>(`${path}page/sign-in/begin`, {
    ...hidden,
    async handler (request, reply) {
      reply.header('cache-control', 'no-store')
      requireSameOrigin(request, publicUrl)
      const account = await accountOf(request)
      const isSilent = account !== undefined && request.body?.silent === true
      const redirectUri = `${pageUrl(request)}page/sign-in/callback`
      const { url, checks } = await oidc.begin(redirectUri, isSilent)
      const { id, tokenId } = account ?? {}
      cookies.add(request, reply, { ...checks, at: Date.now(), redirectUri, account: id, tokenId, isSilent })
      return { code: 200, data: { url } }
    }
  })

  /** @returns the token for one sign-in; `undefined` for a browser that is signed in already */
  async function finish (query: string, pending: Pending): Promise<string | undefined> {
    const { issuer, subject, claims, sid, refreshToken } = await oidc.finish(`${pending.redirectUri}?${query}`, pending)
    const identity = { issuer, subject }
    const { account: ofBrowser, tokenId, isSilent } = pending
    // The token may have been revoked since the beginning.
    const known = ofBrowser === undefined || tokenId === null ? undefined : await accounts.list(ofBrowser)
    if (known?.some(({ id }) => id === tokenId) === false) {
      throw new SourceError(403, 'This browser was signed out: sign in again')
    }
    const isOther = isSilent && (await identities.find(identity))?.account !== ofBrowser
    if (isOther) throw new SourceError(403, 'Another person is signed in at the provider')
    const { accountOf, lifetime } = oidc
    const account = await identities.admit(
      { identity, claims, accountOf, lifetime, refreshToken, connectTo: isSilent ? undefined : ofBrowser })
    return ofBrowser === undefined ? identities.issueLink(account, issuer, sid) : undefined
  }

  app.get(`${path}page/sign-in/callback`, {
    ...hidden,
    // The log of requests would contain the code.
    logLevel: 'warn',
    async handler (request, reply) {
      const query = request.url.split('?').slice(1).join('?')
      const pending = cookies.take(request, reply, new URLSearchParams(query).get('state') ?? '')
      try {
        if (pending === undefined) {
          throw new BadRequestError('This sign-in began in another browser, at another address, or more than 10 ' +
            `minutes ago: begin again at ${pageUrl(request)}`)
        }
        const token = await finish(query, pending)
        const page = new URL('../../', pending.redirectUri).href
        return await forBrowser(reply).redirect(token === undefined ? page : `${page}#token=${token}`, 303)
      } catch (error) {
        const { status, message, cause } = error as Partial<SourceError>
        if (status === undefined || message === undefined) throw error
        request.log.warn({ reason: message, cause: (cause as Error | undefined)?.message }, 'person rejected')
        if (pending?.isSilent) return forBrowser(reply).redirect(new URL('../../', pending.redirectUri).href, 303)
        return sendMessage(forBrowser(reply).code(status), message, '../../')
      }
    }
  })

  app.get(`${path}page/sign-in/end`, {
    ...hidden,
    async handler (request, reply) {
      const page = pageUrl(request)
      return forBrowser(reply).redirect(await oidc.endUrl(page).catch(() => undefined) ?? page, 303)
    }
  })

  app.register(async function logoutRoute (part) {
    const limit = limitCalls(mostLogouts)
    part.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: 16_384 },
      async (_request: FastifyRequest, text: string) => new URLSearchParams(text))
    part.post(`${path}page/sign-in/logout`, {
      ...hidden,
      async handler (request, reply) {
        reply.header('cache-control', 'no-store')
        limit(request)
        const { body } = request
        const token = body instanceof URLSearchParams ? body.get('logout_token') : null
        if (token === null) throw new BadRequestError('The form has no logout_token')
        const { issuer, id, sid, sub } = await oidc.readLogout(token)
        if (!await identities.useOnce(issuer, id, Date.now() + usedFor)) {
          throw new BadRequestError('This logout token was used already')
        }
        await identities.endSession(issuer, { sid, sub })
        return ''
      }
    })
  })
}

/** The time in milliseconds for which ids of logout tokens are stored: longer than the tokens are valid. */
const usedFor = 900_000

const forBrowser = (reply: FastifyReply) =>
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
