import type { Page } from 'playwright-core'
import t from 'tap'
import { launch } from '../browser.ts'
import { library, addSource, elsewhere, nextFrames, playerOf, token, visit, wide, widths } from './helper.ts'
import { deferred } from '../helper.ts'

const browser = await launch(t)

t.test('who comes without a token is asked for one, and told when it is wrong', t => visit(t, browser, {
  fragment: ''
}, async ({ page, sees }) => {
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await sees('The source does not recognise this token.')
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
}))

t.test('who typed a wrong token can type on', t => visit(t, browser, { fragment: '' }, async ({ page, sees }) => {
  await page.getByLabel('Token').fill('wrong')
  await page.keyboard.press('Enter')
  await sees('The source does not recognise this token.')
  t.ok(await page.getByLabel('Token').evaluate('document.activeElement.type === "password"'), 'the field has the focus')
}))

t.test('a token that no header can hold is a wrong token, not a wrong address or a source that fails', t =>
  visit(t, browser, { fragment: '' }, async ({ page, sees, go }) => {
    await page.getByLabel('Token').fill('密码')
    await page.keyboard.press('Enter')
    await sees('The source does not recognise this token.')
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    await go('/sources')
    await page.getByLabel('Address').fill('https://music.example.com')
    await page.getByLabel('Token').fill('密码')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await sees('The source does not recognise this token.')
  }))

t.test('a token in the fragment signs in and leaves the address bar', t => visit(t, browser, {}, async ({ page }) => {
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  t.notMatch(page.url(), 'token')
  t.notMatch(await page.evaluate('JSON.stringify(history.state)'), new RegExp(`token|${token}`))
}))

t.test('the token stays in this browser', t => visit(t, browser, {}, async ({ page }) => {
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
}))

t.test('a token that is no longer good is asked for again', t => {
  let good = true
  const before = async (app: any) => app.addHook('onRequest', async (request: any, reply: any) => {
    if (!good && /^\/(?:v1|page\/browse\?)/.test(request.url)) {
      return reply.code(401)
        .send({ code: 401, message: 'Unauthorized', data: null })
    }
  })
  return visit(t, browser, { before }, async ({ page, sees, go }) => {
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    good = false
    await go('/artists')
    await sees('The source no longer accepts this token.')
    good = true
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Artists' }).waitFor()
  })
})

t.test('a source that does not answer is said to be so, and tried again', t => {
  let up = false
  const before = async (app: any) => app.addHook('onRequest', async (request: any, reply: any) => {
    if (!up && request.url === '/v1/status') {
      return reply.code(502)
        .send({ code: 502, message: 'no upstream', data: null })
    }
  })
  return visit(t, browser, { before }, async ({ page, sees }) => {
    await sees(/The source reported an error: no upstream/)
    up = true
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  })
})

t.test('an attempt to reach the source that fails late does not close what a later one has opened', t =>
  visit(t, browser, {}, async ({ page }) => {
    const { promise: late, resolve: fail } = deferred<void>()
    const { promise: asked, resolve: ask } = deferred<void>()
    let failed: Promise<unknown> | undefined
    let attempts = 0
    await page.route('**/v1/status', async route => {
      attempts++
      if (attempts === 1) return route.abort('internetdisconnected')
      if (attempts > 2) return route.continue()
      // The page may give this attempt up before it fails.
      failed = page.waitForEvent('requestfailed', request => request === route.request())
      ask()
      await late
      await route.abort('timedout')
    })
    await page.reload()
    await page.getByRole('button', { name: 'Try again' }).click()
    await asked
    // The connection is there again while the attempt still hangs in the old one.
    await page.evaluate('dispatchEvent(new Event("online"))')
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    fail()
    await failed
    await nextFrames(page)
    t.equal(await page.locator('.gate').count(), 0)
  }))

t.test('the page works behind a prefix and at a path of its own', t =>
  visit(t, browser, { prefix: '/music', page: { path: '/player' } }, async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    t.match(page.url(), /\/music\/player\/$/)
  }))

t.test('another source can be added by its address, switched to and forgotten', async t => {
  const other = await elsewhere(t, { context: { stateless: true } })
  await visit(t, browser, {}, async ({ page, sees, go }) => {
    await addSource({ page, go }, other)
    t.equal(await page.getByRole('link', { name: 'My music' }).count(), 0, 'the other one is stateless')
    await page.locator('.source-list button', { hasText: 'Test source' }).click()
    await page.getByRole('link', { name: 'My music' }).waitFor()
    await page.getByRole('button', { name: 'Forget The other one' }).click()
    t.equal(await page.locator('.source-list li').count(), 1)
    await sees('Test source')
  })
})

t.test('two tabs keep what each of them changes in the list of sources', async t => {
  const one = await elsewhere(t)
  const two = await elsewhere(t)
  await visit(t, browser, {}, async ({ page, served }) => {
    const other = await page.context().newPage()
    const open = async (tab: Page) => {
      await tab.goto(`${served.origin}/#/sources`)
      await tab.reload()
      await tab.locator('.source-list').waitFor()
    }
    const add = async (tab: Page, name: string, origin: string) => {
      await tab.getByLabel('Address').fill(origin)
      await tab.getByLabel('Name').fill(name)
      await tab.getByLabel('Token').fill(token)
      await tab.getByRole('button', { name: 'Add', exact: true }).click()
      await tab.locator('.brand', { hasText: name }).waitFor()
    }
    const names = (tab: Page) => tab.locator('.source-list strong').allTextContents()
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    await open(page)
    await open(other)
    await add(page, 'One', one.origin)
    await add(other, 'Two', two.origin)
    await page.locator('.source-list button', { hasText: 'Test source' }).click()
    await page.getByRole('button', { name: 'Forget One' }).click()
    t.strictSame(await names(page), ['Test source'], 'a tab shows what it knows')
    await open(page)
    t.strictSame(await names(page), ['Test source', 'Two'])
    t.equal(await page.locator('.brand').textContent(), 'Test source')
  })
})

t.test('what is no address of a source is refused with a sentence', t =>
  visit(t, browser, {}, async ({ page, sees, go }) => {
    await go('/sources')
    await page.getByLabel('Address').fill('http://name:secret@example.com')
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await sees(/Enter an address such as/)
  }))

for (const width of widths) {
  t.test(`a link with another token changes nothing before it was asked about, ${width} px`, t => visit(t, browser, {
    browser: wide(width),
    context: ({ authorization }) => authorization === 'of Bela'
      ? { adapter: { getUserMe: () => ({ userId: 'u2', nickname: 'Bela', avatar: '', platform: 'x' }) } }
      : {}
  }, async ({ page, sees, go }) => {
    const link = (token: string) =>
      page.evaluate(token => { location.hash = `#token=${token}` }, encodeURIComponent(token))
    const name = page.locator('.profile strong')
    await go('/library')
    await name.filter({ hasText: 'Ada' }).waitFor()
    await link('wrong')
    await sees('The source does not recognise the token in the link. You are still signed in as before.')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    await link('of Bela')
    await page.getByRole('button', { name: 'Stay signed in' }).click()
    await go('/library')
    await name.filter({ hasText: 'Ada' }).waitFor()
    await link('of Bela')
    await page.getByRole('button', { name: 'Sign in with the link' }).click()
    await go('/library')
    await name.filter({ hasText: 'Bela' }).waitFor()
    t.notMatch(page.url(), 'token')
  }))
}

t.test('a part of the page that does not load comes by itself; after an update the page is loaded anew', t =>
  visit(t, browser, { library }, async ({ page, go, row, sees }) => {
    await go('/daily')
    await page.getByRole('button', { name: 'Play Noon Song 5' }).click()
    await page.route('**/page/browse-*.js*', route => route.abort('internetdisconnected'))
    await go('/albums')
    await sees('Cannot connect to the source.')
    t.notMatch(await page.locator('main').textContent(), /dynamically|module/)
    await page.unroute('**/page/browse-*.js*')
    await page.evaluate('dispatchEvent(new Event("online"))')
    await page.locator('.card').first().waitFor()
    const answer = await page.request.get(page.url())
    let loads = 0
    await page.route(url => url.pathname === '/', async route => {
      loads++
      const body = await answer.text()
      const updated = body.replaceAll('main-', 'main-of-the-update-')
      return route.fulfill({ response: answer, body: loads === 1 ? updated : body })
    })
    await page.route('**/page/source-tab-*.js', route => loads < 2 ? route.fulfill({ status: 404 }) : route.continue())
    await page.evaluate('globalThis.isOld = true')
    await go('/source')
    await page.locator('.view-source').waitFor()
    t.equal(loads, 2)
    t.equal(await page.evaluate('globalThis.isOld'), undefined, 'the page is loaded anew')
    await playerOf(page).titled('Noon Song 5').waitFor()
  }))

t.test('the first view shows what was there until the new comes', t => {
  const { promise: late, resolve } = deferred<void>()
  let calls = 0
  return visit(t, browser, {
    adapter: base => ({
      getNewTracks: async () => {
        if (++calls > 1) await late
        return base.getNewTracks()
      }
    })
  }, async ({ page, go }) => {
    await page.getByRole('heading', { name: 'Recommended' }).waitFor()
    // Each row comes by itself.
    await page.waitForFunction(() => document.querySelector('#main .waiting') === null)
    await go('/daily')
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    t.equal(await page.locator('.waiting').count(), 0)
    t.ok(await page.getByRole('heading', { name: 'Recommended' }).isVisible())
    resolve()
  })
})

t.test('browsers can install the page as an app', t => visit(t, browser, {}, async ({ page }) => {
  const devtools = await page.context().newCDPSession(page)
  const { url, errors, manifest } = await devtools.send('Page.getAppManifest')
  t.match(url, /\/page\/manifest\.webmanifest$/)
  t.strictSame(errors, [])
  t.equal(manifest.startUrl, new URL('/', page.url()).href)
  const widths = await Promise.all(manifest.icons!.map(({ url }) => page.evaluate(async src => {
    const image = Object.assign(new Image(), { src })
    await image.decode()
    return image.naturalWidth
  }, url)))
  t.equal(widths[1], 192)
}))
