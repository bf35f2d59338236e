import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { dictionary } from '../../lib/page/browser/texts/dictionary.ts'
import { launch } from '../browser.ts'
import { library, playerOf, visit } from './helper.ts'

const browser = await launch(t)

/** Waits until the service worker has the page. */
const isKept = 'navigator.serviceWorker.ready.then(() => undefined)'

t.test('the page opens without its server, says what it can do, and goes on when the server is there again', t => {
  let isAway = false
  return visit(t, browser, {
    browser: { serviceWorkers: 'allow' },
    prefix: '/music',
    library,
    page: { path: '/player' },
    before: async app => app.addHook('onRequest', async (request, reply) => {
      if (!isAway) return
      reply.hijack()
      request.raw.socket.destroy()
    })
  }, async ({ page, go, sees, served: { origin } }) => {
    const scope = `${origin}/music/player/`
    t.equal(await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)'), scope)
    await go('/daily')
    await page.getByRole('button', { name: 'Play Noon Song 5' }).click()
    await playerOf(page).titled('Noon Song 5').waitFor()
    isAway = true
    await page.reload()
    await sees('Cannot connect to the source.')
    await sees('This page loads as soon as the source is back. Queue, settings and what you played')
    isAway = false
    await page.evaluate('dispatchEvent(new Event("online"))')
    await playerOf(page).titled('Noon Song 5').waitFor()
    isAway = true
    await go('/albums')
    await sees('Cannot connect to the source.')
    t.ok(await page.getByRole('heading', { level: 1, name: 'Albums' }).isVisible(),
      'parts are kept before they are opened')
    const urls = await page.evaluate(`(async () => {
      const kept = await Promise.all((await caches.keys()).map(async name => (await caches.open(name)).keys()))
      return kept.flat().map(({ url }) => url)
    })()`) as string[]
    t.ok(urls.includes(scope))
    t.strictSame(
      urls.filter(url => url !== scope && !/\/page\/[\w-]+-\w+\.(?:js|css|svg|png)$/.test(url)), [],
      'nothing is kept but the document and its files'
    )
  })
})

t.test('offline, views keep what was loaded, and one strip says why', t => visit(t, browser, {
  library
}, async ({ page, go, open, row }) => {
  const strip = page.locator('.lost')
  const card = page.locator('main .card', { hasText: 'A album 0' })
  await open('/playlist/p0')
  await open('/albums')
  await card.waitFor()
  await open('/queue')
  await page.context().setOffline(true)
  await strip.filter({ hasText: dictionary.offline[0] }).waitFor()
  await go('/albums')
  await card.waitFor()
  await go('/playlist/p0')
  await row('Morning Song').first().waitFor()
  t.equal(await page.locator('.trouble').count(), 0)
  await page.context().setOffline(false)
  await strip.filter({ hasNotText: /./ }).waitFor({ state: 'attached' })
}))

t.test('after an update the page is loaded anew at the next view with its queue, and its old files are gone', t => {
  let updates = 0
  let loads = 0
  const update = (text: string) => text.replaceAll('version":"', `version":"${updates}.`)
  return visit(t, browser, {
    browser: { serviceWorkers: 'allow' },
    library,
    before: async (app: FastifyInstance) => {
      app.addHook('onRequest', async (request, reply) => {
        if (updates === 1 && loads < 2 && request.url.includes('/page/browse-')) return reply.code(404).send('')
      })
      app.addHook('onSend', async (request, _reply, payload) => {
        if (updates === 0 || typeof payload !== 'string') return payload
        if (request.url.endsWith('worker.js')) return payload.replace('version="', `version="${updates}`)
        if (request.url !== '/' || request.headers.accept === undefined) return payload
        // The first one is the question whether there is an update.
        return loads++ === 0 ? update(payload).replaceAll('main-', 'main-of-the-update-') : update(payload)
      })
    }
  }, async ({ page, go }) => {
    await page.evaluate(isKept)
    const kept = () => page.evaluate('caches.keys()') as Promise<string[]>
    await page.waitForFunction('caches.keys().then(({ length }) => length === 1)')
    const [before] = await kept()
    await go('/daily')
    await page.getByRole('button', { name: 'Play Noon Song 5' }).click()
    await playerOf(page).titled('Noon Song 5').waitFor()
    updates++
    await go('/albums')
    await page.locator('main .card').first().waitFor()
    await playerOf(page).titled('Noon Song 5').waitFor()
    t.ok(loads >= 2)
    await page.waitForFunction(
      before => caches.keys().then(names => names.length === 1 && names[0] !== before), before
    )
  })
})
