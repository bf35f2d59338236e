import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/index.ts'
import { withinTime } from '../async/timed-call.ts'
import { BadRequestError, NotFoundError, SourceError } from '../contract/errors.ts'
import { resolveRequest, type RegisteredSource } from '../routes/index.ts'

/** What `createAccounts` makes with the option `secret`. */
export type AppPasswords = Pick<Accounts, 'find' | 'issueAppPassword' | 'list' | 'revoke' | 'hasSecret'>

const isName = /^[^\p{Cc}\p{Cs}]{1,100}$/u
/** App passwords of an account: a login by md5 is compared with each of them. */
const most = 50

/** The page's own routes of the app passwords of whoever asks. */
export function registerAppPasswords (
  app: FastifyInstance, path: string, accounts: AppPasswords, source: RegisteredSource
): void {
  const url = `${path}page/app-passwords`
  const hidden = { schema: { hide: true } }

  /** `undefined` for a fixed token, which apps log in with as it is. */
  async function find (request: FastifyRequest, reply: FastifyReply) {
    reply.headers({ 'cache-control': 'no-store', vary: 'authorization' })
    const { call } = await resolveRequest(source, request, reply)
    return withinTime(call, async () => {
      const account = await accounts.find(call.authorization)
      if (!account?.tokenId) return undefined
      const now = Date.now()
      const items = (await accounts.list(account.id))
        .filter(({ sealed, expiresAt = Infinity }) => sealed !== undefined && expiresAt > now)
        .map(({ id, label, createdAt }) => ({ id, name: label, createdAt }))
      return { username: account.id, items }
    })
  }

  async function need (request: FastifyRequest, reply: FastifyReply) {
    const found = await find(request, reply)
    if (found === undefined) throw new SourceError(403, 'This token has no app passwords: apps log in with it as it is')
    return found
  }

  app.get(url, hidden, async (request, reply) => ({ code: 200, data: await find(request, reply) ?? {} }))

  app.post(url, hidden, async (request, reply) => {
    const { username, items } = await need(request, reply)
    const { name } = Object(request.body) as { name?: unknown }
    const label = typeof name === 'string' ? name.trim() : ''
    if (!isName.test(label)) {
      throw new BadRequestError('Parameter name must be a text of 1 to 100 characters without control characters')
    }
    if (items.length >= most) throw new BadRequestError(`An account has ${most} app passwords at most: revoke one`)
    return { code: 200, data: { username, password: await accounts.issueAppPassword(username, { label }) } }
  })

  app.post(`${url}/revoke`, hidden, async (request, reply) => {
    const { items } = await need(request, reply)
    const { id } = Object(request.body) as { id?: unknown }
    const item = items.find(item => item.id === id)
    const isRevoked = item !== undefined && await accounts.revoke(item.id)
    if (!isRevoked) throw new NotFoundError('There is no such app password')
    return { code: 200, data: { success: true } }
  })
}
