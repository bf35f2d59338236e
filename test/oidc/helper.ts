import fastify, { type FastifyInstance, type FastifyServerOptions, type InjectOptions } from 'fastify'
import { createAccounts, memoryAccountStore, type AccountOf, type AccountStore } from 'fastify-source-origin/accounts'
import { createOidc, type OidcOptions } from 'fastify-source-origin/oidc'
import type { PageSignIn } from 'fastify-source-origin/page'
import serveSource, { type ServeSourceOptions } from 'fastify-source-origin/serve'
import type { Test } from 'tap'
import { startProvider } from './provider.ts'

export const secret = 'a secret of thirty-two characters'
export const host = 'music.example'

export const byName: AccountOf = ({ claims, account, bind }) => account ?? bind(String(claims.preferred_username))

interface Settings {
  readonly oidc?: Partial<OidcOptions>
  readonly signIn?: PageSignIn
  readonly serve?: Partial<ServeSourceOptions>
  readonly server?: FastifyServerOptions
  readonly provider?: Awaited<ReturnType<typeof startProvider>>
  readonly store?: AccountStore
}

/** A server with a sign-in, and a browser without JavaScript. */
export async function start (t: Test, settings: Settings = {}) {
  const provider = settings.provider ?? await startProvider(t)
  const { oidc = {}, signIn, serve = {}, server = {}, store = memoryAccountStore() } = settings
  const accounts = createAccounts({ store, secret, tokens: { owner: 'a token of the owner' } })
  const app = fastify(server)
  t.teardown(() => app.close())
  const created = createOidc({ issuer: provider.issuer, clientId: 'music', accountOf: byName, ...oidc })
  await app.register(serveSource, {
    accounts, adapter: () => ({ getNewTracks: () => [] }), page: { signIn: signIn ?? { oidc: created } }, ...serve
  })
  return { app, accounts, store, provider, ...browserOf(app) }
}

/** Cookies of a browser, which sends requests to one server or another. */
export function browserOf (first: FastifyInstance, jar = new Map<string, string>()) {
  async function send (options: InjectOptions, app = first) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await app.inject({
      ...options, headers: { host, ...cookie && { cookie }, ...options.headers }
    })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '') jar.delete(name!)
      else jar.set(name!, value!)
    }
    return response
  }

  /** Begins a sign-in. @returns the URL of the callback, as the provider redirects to it */
  async function begin (options: { authorization?: string, body?: object, path?: string, app?: FastifyInstance } = {}) {
    const { authorization, body = {}, path = '/', app } = options
    const response = await send({
      method: 'POST', url: `${path}page/sign-in/begin`, body, ...authorization && { headers: { authorization } }
    }, app)
    const { data } = response.json<{ data: { url: string } }>()
    const redirect = await fetch(data.url, { redirect: 'manual' })
    return redirect.headers.get('location')!
  }

  async function callback (url: string, app?: FastifyInstance) {
    const { pathname, search } = new URL(url)
    return send({ url: pathname + search }, app)
  }

  /** Signs in. @returns the token of the browser */
  async function signIn (app = first): Promise<string> {
    const response = await callback(await begin({ app }), app)
    const [, link] = response.headers.location!.split('#token=')
    return exchange(link!, app)
  }

  async function exchange (link: string, app = first): Promise<string> {
    const response = await send({ method: 'POST', url: '/page/sign-in', headers: { authorization: link } }, app)
    return response.json<{ data: { token: string } }>().data.token
  }

  return { jar, send, begin, callback, signIn, exchange }
}

export const statusOf = async (app: FastifyInstance, authorization: string) =>
  (await app.inject({ url: '/v1/status', headers: { authorization } })).statusCode
