import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import t from 'tap'
import { operations } from 'fastify-source-origin'
import { build as buildApp, completeAdapter, dataOf, token } from '../helper.ts'
import { launch } from '../browser.ts'
import { argumentsOf, listen, serve } from './helper.ts'

type Client = typeof import('fastify-source-origin/client')

/** The client as a page loads it. */
declare const client: Client

const { outputFiles: [bundle] } = await build({
  stdin: { contents: "export * from 'fastify-source-origin/client'", resolveDir: import.meta.dirname },
  conditions: ['source-origin-dev'],
  platform: 'browser',
  format: 'iife',
  globalName: 'client',
  bundle: true,
  write: false
})

const browser = await launch(t)

/** A page of a web origin of its own, with the client in it. */
async function openPage (t: Parameters<typeof serve>[0]): Promise<Page> {
  const origin = await serve(t, (_request, response) => {
    response.setHeader('content-type', 'text/html')
      .end(`<!doctype html><link rel="icon" href="data:,"><script>${bundle!.text}</script>`)
  })
  const page = await browser.newPage()
  t.teardown(() => page.close())
  await page.goto(origin)
  return page
}

const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, content-type' }

t.test('every operation from another web origin: arguments arrive, data comes back', async t => {
  const { adapter, calls } = completeAdapter()
  const app = await buildApp(t, { adapter })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(cors)
    if (request.method === 'OPTIONS') return reply.code(204).send()
  })
  app.options('/*', async () => {})
  const baseUrl = await listen(t, app)
  const page = await openPage(t)
  for (const { adapterMethod: method } of operations) {
    const args = argumentsOf(method)
    const data = await page.evaluate(async ([options, method, args]) => {
      const remote = client.createSourceClient(options) as unknown as Record<string,
      (...args: unknown[]) => Promise<unknown>>
      return remote[method]!(...args)
    }, [{ baseUrl, authorization: token }, method, args] as const)
    t.strictSame(data, JSON.parse(JSON.stringify(dataOf(method))), method)
    t.match(calls.pop(), { method, args })
  }
})

t.test('a redirect to a third origin loses the token, and its answer is not used', async t => {
  const seen: (string | undefined)[] = []
  const third = await serve(t, (request, response) => {
    if (request.method === 'GET') seen.push(request.headers.authorization)
    response.writeHead(200, { ...cors, 'content-type': 'application/json' }).end('{"code":200,"data":[]}')
  })
  const baseUrl = await serve(t, (request, response) => {
    if (request.method === 'GET') seen.push(request.headers.authorization)
    response.writeHead(request.method === 'OPTIONS' ? 204 : 307, { ...cors, location: third + request.url }).end()
  })
  const page = await openPage(t)
  const message = await page.evaluate(
    options => client.createSourceClient(options).getNewTracks().catch(error => error.message),
    { baseUrl, authorization: token })
  t.equal(message, `${baseUrl} leads to ${third}, which is another origin`)
  t.strictSame(seen, [token, token, undefined])
})

t.test('a redirect within the origin is followed', async t => {
  const baseUrl = await serve(t, (request, response) => {
    if (request.url === '/here') return response.writeHead(200, cors).end('{"code":200,"data":[]}')
    response.writeHead(308, { ...cors, location: '/here' }).end()
  })
  const page = await openPage(t)
  t.strictSame(await page.evaluate(options => client.createSourceClient(options).getNewTracks(), { baseUrl }), [])
})

t.test('no answer is a TimeoutError', async t => {
  const baseUrl = await serve(t, () => {})
  const page = await openPage(t)
  const thrown = await page.evaluate(
    options => client.createSourceClient(options).getNewTracks().catch(error =>
      [error instanceof client.TimeoutError, error.message]),
    { baseUrl, timeout: 50 }
  )
  t.strictSame(thrown, [true, 'GET /v1/track/new: no answer within 50 ms'])
})

t.test('the signal of the client ends a call with its reason, and the connection', async t => {
  let closed: Promise<unknown> | undefined
  const baseUrl = await serve(t, (request, response) => {
    closed = new Promise(resolve => response.on('close', resolve))
    response.writeHead(200, cors).write('{')
  })
  const page = await openPage(t)
  const thrown = await page.evaluate(async baseUrl => {
    const controller = new AbortController()
    const { signal } = controller
    // The answer has begun when fetch is done, so that the body is what is aborted.
    const fetch = async (...args: Parameters<typeof globalThis.fetch>) => {
      const response = await globalThis.fetch(...args)
      controller.abort('no longer wanted')
      return response
    }
    return client.createSourceClient({ baseUrl, signal, fetch }).getNewTracks().catch(error => error)
  }, baseUrl)
  t.equal(thrown, 'no longer wanted')
  await closed
})

t.test('an origin without CORS is an UpstreamError', async t => {
  const baseUrl = await serve(t, (_request, response) => { response.end('{"code":200,"data":[]}') })
  const page = await openPage(t)
  const name = await page.evaluate(
    baseUrl => client.createSourceClient({ baseUrl }).getNewTracks().catch(error => error.name), baseUrl
  )
  t.equal(name, 'UpstreamError')
})
