import t from 'tap'
import { launch } from '../browser.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { addSource, elsewhere, qualityMap, switchSource, token, visit, type Visit } from './helper.ts'

const browser = await launch(t)

const bela = { adapter: { getUserMe: () => ({ userId: 'u2', nickname: 'Bela', avatar: '', platform: 'x' }) } }
const nameless = { adapter: {} }

async function add (page: Visit['page'], address: string, typed: string) {
  await page.getByLabel('Address').fill(address)
  await page.getByLabel('Token').fill(typed)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
}

t.test('a source that cannot be opened is not added, and the form says why', async t => {
  const other = await elsewhere(t)
  await visit(t, browser, {}, async ({ page, go, sees, row }) => {
    await go('/daily')
    await row('Noon Song 5').dblclick()
    await go('/sources')
    const entries = page.locator('.source-list li')
    await page.route('https://away.example/**', route => route.abort())
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
    await page.route('https://page.example/**', route => route.fulfill(
      { body: '<html>', contentType: 'text/html', headers }
    ))
    for (const [address, typed, why] of [
      ['https://away.example', token, 'Cannot connect to the source.'],
      ['https://page.example', token, /^The source cannot be reached: /],
      [other.origin, 'wrong', 'The source does not recognise this token.']
    ] as const) {
      await add(page, address, typed)
      await page.locator('.card-form [role=alert]').filter({ hasText: why }).waitFor()
      t.equal(await entries.count(), 1)
      t.equal(await page.getByLabel('Address').inputValue(), address, 'what was typed is there')
    }
    t.equal(await page.locator('.brand').textContent(), 'Test source')
    await add(page, other.origin, token)
    await page.locator('.brand', { hasText: other.origin.slice(7) }).waitFor()
    await sees('Test source')
  })
})

t.test('the address of this page asks by name before another account takes the place of one', t => visit(t, browser, {
  context: ({ authorization }) => authorization === 'of Bela' ? bela : {}
}, async ({ page, go, sees, served }) => {
  const name = page.locator('.profile strong')
  const isAda = async () => {
    await go('/library')
    await name.filter({ hasText: 'Ada' }).waitFor()
    await go('/sources')
  }
  await isAda()
  await add(page, ` ${served.origin.toUpperCase()}// `, 'mistyped')
  await sees('The source does not recognise this token.')
  await isAda()
  await add(page, served.origin, 'of Bela')
  await sees('You are signed in as Ada. Sign in as Bela?')
  await sees('Ada stays in this browser, with its queue and history: switch in the menu of the account.')
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await isAda()
  await add(page, served.origin, 'of Bela')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await go('/library')
  await name.filter({ hasText: 'Bela' }).waitFor()
}))

t.test('accounts without names are asked about too, and the same token is only opened', t => visit(t, browser, {
  context: ({ authorization }) => authorization === 'another' ? nameless : {}
}, async ({ page, go, sees, served }) => {
  await go('/sources')
  await add(page, served.origin, 'another')
  await sees('You are already signed in. The other token works too.')
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await add(page, served.origin, token)
  // It was opened anew, so the form is empty again.
  await page.locator('input[name=url]:placeholder-shown').waitFor()
  t.equal(await page.getByRole('dialog').count(), 0)
}))

t.test('a tab whose account another tab has replaced says so and keeps its own', t => visit(t, browser, {
  context: ({ authorization }) => authorization === 'of Bela' ? bela : {}
}, async ({ page, go, sees, served }) => {
  const other = await page.context().newPage()
  await other.goto(`${served.origin}/#/sources`)
  await go('/library')
  await page.locator('.profile strong').filter({ hasText: 'Ada' }).waitFor()
  await other.getByLabel('Address').waitFor()
  await add(other, served.origin, 'of Bela')
  await other.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await sees('Another tab has signed in with another account.')
  await go('/daily')
  await go('/library')
  await page.locator('.profile strong').filter({ hasText: 'Ada' }).waitFor()
}))

t.test('the queue stays when the token of an account is replaced, and until one signs out of all accounts', t => {
  let isRevoked = false
  const ofToken = (authorization: string | undefined) =>
    ({ account: authorization === 'of Bela' ? 'bela' : 'ada', ...authorization !== token && nameless })
  return visit(t, browser, {
    context: ({ authorization }) => ['new one', 'of Bela', token].includes(String(authorization))
      ? ofToken(authorization)
      : {},
    before: async app => app.addHook('onRequest', async (request, reply) => {
      if (isRevoked && request.headers.authorization === token) {
        return reply.code(401).send({ code: 401, message: 'Unauthorized', data: null })
      }
    })
  }, async ({ page, go, sees, row, served }) => {
    await go('/daily')
    await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
    await page.getByRole('button', { name: 'Add to queue' }).click()
    await go('/queue')
    await row('Noon Song 5').waitFor()
    isRevoked = true
    await go('/artists')
    await sees('The source no longer accepts this token.')
    t.equal(await page.locator('input[autocomplete=username]').inputValue(), 'ada', 'for a password manager')
    // The whole link, as it was pasted from a message.
    await page.getByLabel('Token').fill(` “${served.origin}/#token=new%20one”\u200b`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await go('/queue')
    await row('Noon Song 5').waitFor()
    await page.reload()
    await row('Noon Song 5').waitFor()
    await go('/sources')
    await add(page, served.origin, '"of Bela"')
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
    await go('/queue')
    await sees('Your queue is empty. Play something to fill it.')
    t.match(await page.evaluate('JSON.stringify(localStorage)'), 'Noon Song 5')
    await choose(page, 'Sign out of all accounts')
    await sees('Enter the token of this source.')
    t.notMatch(await page.evaluate('JSON.stringify(localStorage)'), 'Noon Song 5')
  })
})

t.test('what was kept by the token before is kept by the account', t => visit(t, browser, {
  context: () => ({ account: 'ada' })
}, async ({ page, go, row }) => {
  await go('/daily')
  await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
  await page.getByRole('button', { name: 'Add to queue' }).click()
  await go('/queue')
  await row('Noon Song 5').waitFor()
  // As a page did that knew no accounts.
  await page.goto('about:blank')
  await page.addInitScript(`
    const entries = Object.entries(localStorage)
    if (!sessionStorage.done) for (const [key, value] of entries) {
      if (key === 'source-page:sources') {
        localStorage[key] = JSON.stringify(JSON.parse(value).map(({ account, ...rest }) => rest))
      }
      if (!key.endsWith(':@ada')) continue
      delete localStorage[key]
      let hash = 5381
      for (const character of ${JSON.stringify(token)}) hash = (hash * 33 + character.codePointAt(0)) % 2 ** 32
      localStorage[key.replace('@ada', hash)] = value
    }
    sessionStorage.done = 1
  `)
  await page.goBack()
  await row('Noon Song 5').waitFor()
  t.match(await page.evaluate('Object.keys(localStorage).filter(key => /queue:/.test(key))'), [/@ada$/])
}))

t.test('a source elsewhere keeps its queue by its token', async t => {
  const other = await elsewhere(t)
  await visit(t, browser, {}, async ({ page, go, row }) => {
    await addSource({ page, go }, other)
    await go('/daily')
    await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
    await page.getByRole('button', { name: 'Add to queue' }).click()
    await page.reload()
    await go('/queue')
    await row('Noon Song 5').waitFor()
  })
})

t.test('the title of the tab names the source that plays', async t => {
  const other = await elsewhere(t)
  await visit(t, browser, {}, async ({ page, go, row }) => {
    await addSource({ page, go }, other)
    await page.waitForFunction(() => document.title.endsWith('The other one'))
    await go('/daily')
    await row('Noon Song 5').dblclick()
    await page.waitForFunction(() => /^Noon Song 5.*The other one$/.test(document.title))
    await switchSource({ page }, 'Test source')
    await page.waitForFunction(() => document.title.endsWith('Test source'))
  })
})

const two = {
  context: ({ authorization }: { authorization: string | undefined }) => authorization === 'of Bela'
    ? { adapter: { ...createReferenceAdapter(() => 'http://localhost'), ...bela.adapter }, account: 'b', qualityMap }
    : { account: 'a' }
}
const signedIn = (page: Visit['page'], name: string) =>
  page.locator(`.avatar[aria-label="Account: ${name}"]`).waitFor()
const choose = async (page: Visit['page'], name: string) => {
  await page.locator('.avatar').click()
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
}
const queueOf = async (page: Visit['page'], go: Visit['go']) => {
  await go('/queue')
  await page.locator('.view-queue h1').waitFor()
  return page.locator('.view-queue .row .title').allTextContents()
}
const as = (page: Visit['page'], name: string) => page.getByRole('button', { name: `Sign in as ${name}` })

t.test('two accounts in one browser have a queue and a volume each, and between them is a gate of names', t => visit(
  t, browser, two, async ({ page, go, row, sees, served }) => {
    await signedIn(page, 'Ada')
    await go('/daily')
    await row('Noon Song 5').dblclick()
    const ofAda = await queueOf(page, go)
    await page.getByLabel('Volume').fill('0.5')
    await choose(page, 'Switch account')
    await as(page, 'Ada').waitFor()
    t.equal(await page.locator('.row, .card, .player').count(), 0, 'no content')
    await page.reload()
    await as(page, 'Ada').waitFor()
    await page.getByLabel('Token').fill('of Bela')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await signedIn(page, 'Bela')
    t.same(await queueOf(page, go), [])
    await page.getByLabel('Volume').fill('0.2')
    const other = await page.context().newPage()
    await other.goto(served.origin)
    await signedIn(other, 'Bela')
    await choose(page, 'Switch account')
    await as(other, 'Bela').waitFor()
    t.equal(await as(other, 'Ada').count(), 1, 'another tab goes to the gate, too')
    await as(page, 'Ada').click()
    await signedIn(page, 'Ada')
    t.same(await queueOf(page, go), ofAda)
    t.equal(await page.getByLabel('Volume').inputValue(), '0.5')
    await choose(page, 'Switch account')
    await as(page, 'Bela').click()
    await signedIn(page, 'Bela')
    t.equal(await page.getByLabel('Volume').inputValue(), '0.2')
    await choose(page, 'Sign out')
    await as(page, 'Ada').waitFor()
    t.equal(await as(page, 'Bela').count(), 0, 'who signs out is gone, and nobody is opened in its place')
    await as(page, 'Ada').click()
    await signedIn(page, 'Ada')
    t.same(await queueOf(page, go), ofAda)
    await choose(page, 'Switch account')
    await page.getByRole('button', { name: 'Sign out of all accounts' }).click()
    await sees('Enter the token of this source.')
    await as(page, 'Ada').waitFor({ state: 'detached' })
    const kept = await page.evaluate(() => JSON.stringify(localStorage))
    t.notMatch(kept, /Noon Song|of Bela/)
  }))

t.test('a link of another account signs in beside the one that is there, and out of all at once', t => visit(
  t, browser, two, async ({ page, sees }) => {
    await signedIn(page, 'Ada')
    await page.evaluate(() => { location.hash = '#token=of%20Bela' })
    await sees('Ada stays in this browser, with its queue and history: switch in the menu of the account.')
    await page.getByRole('button', { name: 'Sign in with the link' }).click()
    await signedIn(page, 'Bela')
    await choose(page, 'Sign out of all accounts')
    await sees('Enter the token of this source.')
    t.equal(await as(page, 'Ada').count(), 0)
  }))

t.test('an account whose token was ended elsewhere goes from the gate', t => {
  let isEnded = false
  return visit(t, browser, {
    context: ({ authorization }) => isEnded && authorization !== 'of Bela' ? {} : two.context({ authorization }),
  }, async ({ page }) => {
    await signedIn(page, 'Ada')
    await choose(page, 'Switch account')
    await as(page, 'Ada').waitFor()
    const json = { code: 401, message: '', data: null }
    await page.route('**/v1/status', route => route.fulfill({ status: 401, json }))
    isEnded = true
    await as(page, 'Ada').click()
    await page.locator('[role=alert]', { hasText: 'does not recognise this token' }).waitFor()
    t.equal(await as(page, 'Ada').count(), 0)
  })
})
