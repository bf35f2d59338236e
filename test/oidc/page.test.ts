import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { createServer, type Server } from 'node:http'
import Provider from 'oidc-provider'
import type { BrowserContext } from 'playwright-core'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createOidc } from 'fastify-source-origin/oidc'
import serveSource from 'fastify-source-origin/serve'
import t, { type Test } from 'tap'
import { launch } from '../browser.ts'
import { freePort } from '../service.ts'
import { byName, secret } from './helper.ts'

const browser = await launch(t)

const close = (server: Server) => new Promise<void>(resolve => {
  server.closeAllConnections()
  server.close(() => resolve())
})

/** A certified provider, and a source with an account for each person of it. */
async function start (t: Test, lifetime?: number) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => close(server))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [{
      client_id: 'music',
      client_secret: 'the secret of the client',
      redirect_uris: [`${origin}/page/sign-in/callback`],
      post_logout_redirect_uris: [`${origin}/`],
      backchannel_logout_uri: `${origin}/page/sign-in/logout`,
      backchannel_logout_session_required: true
    }],
    claims: { openid: ['sub', 'sid'], profile: ['preferred_username'] },
    features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, preferred_username: id }) }),
    // Its dispatcher rejects this machine.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as object)
  })
  server.on('request', provider.callback())

  const accounts = createAccounts({ store: memoryAccountStore(), secret, tokens: { owner: 'a token of the owner' } })
  const app = fastify()
  t.teardown(() => app.close())
  const oidc = createOidc({
    issuer, clientId: 'music', clientSecret: 'the secret of the client', accountOf: byName, lifetime
  })
  await app.register(serveSource, {
    accounts,
    stateless: false,
    adapter: ({ account }) => ({
      getNewTracks: () => [],
      getUserMe: () => ({ userId: account, nickname: account, avatar: '', platform: 'test' })
    }),
    page: { signIn: { oidc, label: 'the house' } }
  })
  await app.listen({ host: '127.0.0.1', port })
  return { accounts, origin, issuer }
}

async function open (t: Test) {
  const context: BrowserContext = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block' })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  return { context, page, button: (name: string) => page.getByRole('button', { name }) }
}

t.test('a person signs in at the provider with one click, is offered an app password, and signs out there', async t => {
  const { accounts, origin, issuer } = await start(t)
  const { page, button } = await open(t)
  await page.goto(origin)
  await button('Sign in with a token').waitFor()
  t.equal(await page.getByLabel('Token').count(), 0)
  await button('Sign in with the house').click()
  await page.waitForURL(`${issuer}/**`)
  await page.locator('[name=login]').fill('ann')
  await page.locator('[name=password]').fill('any')
  await page.locator('[type=submit]').click()
  await page.locator('[type=submit]').click()
  await page.waitForURL(`${origin}/**`)
  await button('Use an app on your phone').click()
  await page.getByText('Connected. Sign in again before').waitFor()
  await page.getByPlaceholder('Name of the app').fill('phone')
  await button('Create').click()
  await page.getByText('the password is not shown again').waitFor()
  t.match(await accounts.list('ann'), [{ parent: /./ }, { label: 'phone' }])
  await page.keyboard.press('Escape')

  // A session at the provider needs no typing.
  await page.locator('main').getByRole('button', { name: 'Sign out' }).click()
  await button('Sign in with the house').click()
  await page.getByRole('button', { name: 'Account: ann' }).waitFor()

  await page.getByRole('button', { name: 'Account: ann' }).click()
  await page.locator('.menu').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign out of the house' }).click()
  await page.locator('[name=logout][value=yes], button[autofocus]').first().click()
  await page.waitForURL(`${origin}/`)
  await button('Sign in with the house').waitFor()
})

t.test('the logout at the provider ends the tokens of the browser', async t => {
  const { accounts, origin, issuer } = await start(t)
  const { page, button } = await open(t)
  await page.goto(origin)
  await button('Sign in with the house').click()
  await page.locator('[name=login]').fill('ann')
  await page.locator('[name=password]').fill('any')
  await page.locator('[type=submit]').click()
  await page.locator('[type=submit]').click()
  await page.getByRole('button', { name: 'Account: ann' }).waitFor()
  const other = await page.context().newPage()
  await other.goto(`${issuer}/session/end`)
  await other.locator('[name=logout][value=yes], button[autofocus]').first().click()
  await other.getByText('Sign-out Success').waitFor()
  t.strictSame(await accounts.list('ann'), [])
  await page.reload()
  await button('Sign in with the house').waitFor()
})

t.test('an account that has a token is connected with a person', async t => {
  const { accounts, origin } = await start(t)
  const { page, button } = await open(t)
  await page.goto(`${origin}/#token=${await accounts.issue('bob')}`)
  await page.getByRole('button', { name: 'Account: bob' }).waitFor()
  await page.goto(`${origin}/#/sources`)
  await button('Connect with the house').click()
  await page.locator('[name=login]').fill('robert')
  await page.locator('[name=password]').fill('any')
  await page.locator('[type=submit]').click()
  await page.locator('[type=submit]').click()
  await page.getByRole('button', { name: 'Account: bob' }).waitFor()
  t.match(await accounts.identities!.list('bob'), [{ subject: 'robert' }])
})

t.test('an account that ends soon is renewed when the page is opened, without a question', async t => {
  const { accounts, origin } = await start(t, 24 * 3_600_000)
  const { page, context, button } = await open(t)
  await page.goto(origin)
  await button('Sign in with the house').click()
  await page.locator('[name=login]').fill('ann')
  await page.locator('[name=password]').fill('any')
  await page.locator('[type=submit]').click()
  await page.locator('[type=submit]').click()
  await page.getByRole('button', { name: 'Account: ann' }).waitFor()
  const versionOf = async () => (await accounts.identities!.list('ann'))[0]!.version
  await page.close()
  const before = await versionOf()
  const other = await context.newPage()
  const returned = other.waitForResponse(/callback\?/)
  await other.goto(origin)
  t.equal((await returned).status(), 303)
  await other.getByRole('button', { name: 'Account: ann' }).waitFor()
  t.equal(await versionOf(), before + 1)
})
