import t, { type Test } from 'tap'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import { createSourceClient } from 'fastify-source-origin/client'
import { createSubsonicAdapter, createSubsonicClient } from 'fastify-source-origin/subsonic'
import { createAccountUpstream, createUpstream, cursorPager, type CursorPage } from 'fastify-source-origin/upstream'
import { fail, startFaultyUpstream } from '../faulty-upstream.ts'
import { escaping, settled } from '../helper.ts'

/** Calls of each kind that authors get, to a server that has nothing. */
async function build (t: Test) {
  const server = await startFaultyUpstream(t)
  server.always(fail(404))
  const upstream = createUpstream({ baseUrl: server.url })
  t.teardown(() => upstream.close())
  const session = createAccounts({ store: memoryAccountStore(), secret: 'a secret of more than thirty-two bytes' })
    .session('ann', { refresh: () => upstream.json('/login') })
  const accounts = createAccountUpstream({
    upstream, accounts: { session: () => session as never }, login: async () => ({}), headers: () => ({})
  })
  const page = cursorPager({ fetch: () => upstream.json<CursorPage<string>>('/list') })
  const client = createSourceClient({ baseUrl: server.url })
  const subsonicClient = createSubsonicClient({ url: server.url, apiKey: 'a key' })
  t.teardown(() => subsonicClient.close())
  const subsonic = createSubsonicAdapter(subsonicClient, { media: () => 'http://localhost/' })
  const api = upstream.for({})
  const begin: Record<string, () => Promise<unknown>> = {
    json: () => api.json('/x'),
    text: () => api.text('/x'),
    bytes: () => api.bytes('/x'),
    answer: () => api.response('/x'),
    'a request that cannot be sent': () => api.json('/x', { method: '1' }),
    'what then makes of it': () => api.json('/x').then(() => 1).then(() => 2),
    'what finally makes of it': () => api.json('/x').finally(() => {}),
    'the upstream of an account': () => accounts.for({ account: 'ann' }).json('/x'),
    'a session': () => session.use(async () => 1),
    'a pager': () => page(0, 10),
    'a whole list': () => page.all(10),
    'a method of the client': () => client.getTrackDetail('1'),
    'the status of the client': () => client.status(),
    'what the client is offered': () => client.offered(),
    'a method of a Subsonic server': () => subsonic.getTrackDetail!('1') as Promise<unknown>
  }
  return begin
}

t.test('a call that is begun early and not awaited does not end the process; who awaits it gets its error', async t => {
  const escaped = escaping(t)
  for (const [what, begin] of Object.entries(await build(t))) {
    const early = begin()
    // Ends after the early one, which nobody listens to until then.
    await begin().catch(() => {})
    await settled()
    t.strictSame(escaped.splice(0), [], what)
    await t.rejects(early, what)
  }
})

t.test('the stack of an error leads to the function that called', async t => {
  const { json, 'a pager': page } = await build(t)
  for (const call of [json!, page!]) {
    const authorsFunction = async () => { await call() }
    t.match(await authorsFunction().catch(({ stack }) => stack), /async authorsFunction/)
  }
})
