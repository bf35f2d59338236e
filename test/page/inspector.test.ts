import t from 'tap'
import { operations } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { nextFrames, token, visit, wide, widths } from './helper.ts'
import { requestEnd } from './request-end.ts'
import { deferred } from '../helper.ts'

const browser = await launch(t)

t.test('the capabilities that the source declares are marked', t => visit(t, browser, {
  adapter: () => ({ getTrackLyrics: undefined }) as never
}, async ({ page, go }) => {
  await go('/source')
  await page.locator('.grid .has', { hasText: 'playlistMutation' }).waitFor()
  t.match(await page.locator('.grid li:not(.has)').allTextContents(), [/lyrics.*getTrackLyrics/])
  t.match(await page.locator('.context').textContent(), /Lossless \(lossless\), High \(high\)/)
}))

t.test('every operation has a form with its parameters', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/source')
  await page.locator('.operation').first().waitFor()
  t.equal(await page.locator('.operation').count(), operations.length)
  for (const { adapterMethod, parameters } of operations) {
    const names = await page.locator(`form[aria-label="${adapterMethod}"] label code`).allTextContents()
    t.strictSame(names, [...parameters], adapterMethod)
  }
}))

t.test('an operation is sent, and its answer shown with status, time, size and the command', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    await go('/source')
    const operation = page.locator('.operation', { hasText: '/v1/search/tracks' })
    await operation.locator('summary').click()
    await operation.getByLabel('keyword').fill("it's night")
    await operation.getByLabel('limit').fill('2')
    const command = await operation.locator('.curl').textContent()
    t.match(command, /^curl -H "Authorization: \$SOURCE_API_TOKEN" 'http:\/\/127/)
    t.ok(
      command!.endsWith(String.raw`/v1/search/tracks?keyword=it'\''s%20night&limit=2'`), 'it can be pasted into a shell'
    )
    await operation.getByLabel('keyword').fill('night')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('.answer', { hasText: 'Night Song 3' }).waitFor()
    t.match(await operation.locator('.answer-facts').textContent(), /^200\d+ ms.*B$/)
    await operation.getByLabel('limit').fill('many')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('.answer-facts strong.bad', { hasText: '400' }).waitFor()
  }))

t.test('the answer to what was sent last is shown', t => {
  const { promise: late, resolve: answer } = deferred<void>()
  return visit(t, browser, {
    adapter: base => ({ getTrackDetail: async id => { if (id === 't1') await late; return base.getTrackDetail(id) } })
  }, async ({ page, go }) => {
    await go('/source')
    const operation = page.locator('.operation', { has: page.locator('form[aria-label=getTrackDetail]') })
    await operation.locator('summary').click()
    const ended = requestEnd(page, /\/v1\/track\?id=t1$/)
    const asked = page.waitForRequest('**/v1/track?id=t1')
    for (const id of ['t1', 't2']) {
      await operation.getByLabel('id').fill(id)
      await operation.getByRole('button', { name: 'Send' }).click()
      await asked
    }
    await operation.locator('.answer', { hasText: 'Evening Song 2' }).waitFor()
    answer()
    await ended
    await nextFrames(page)
    t.match(await operation.locator('.answer').textContent(), 'Evening Song 2')
    t.equal(await operation.locator('.wrong').count(), 0)
  })
})

t.test('a change is sent as JSON', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/source')
  const operation = page.locator('.operation', { hasText: '/v1/track/favorite' })
  await operation.locator('summary').click()
  await operation.getByLabel('id').fill('t3')
  t.match(await operation.locator('.curl').textContent(), '"status":false')
  t.equal(await operation.getByLabel('status').inputValue(), 'false', 'what is sent is what is shown')
  await operation.getByLabel('status').selectOption('true')
  await operation.getByRole('button', { name: 'Send' }).click()
  await operation.locator('.answer', { hasText: '"status": true' }).waitFor()
  t.match(await operation.locator('.curl').textContent(), '-X POST')
}))

t.test('the check runs from here and tells what it found', t => visit(t, browser, {
  before: async app => app.addHook('onSend', async (request: any, _reply: any, payload: any) =>
    request.url === '/v1/artist/top' ? String(payload).replace('"name":"Ada Quartet"', '"name":7') : payload)
}, async ({ page, go }) => {
  await go('/source')
  await page.getByRole('button', { name: 'Run the check' }).click()
  await page.locator('.outcome.broken').waitFor()
  await page.locator('.findings .broken', { hasText: 'type-wrong' }).first().waitFor()
}))

t.test('the source can be taken to a phone, once that is wanted', t =>
  visit(t, browser, {}, async ({ page, go, served }) => {
    await go('/source')
    t.equal(await page.locator('.qr').count(), 0, 'the token is not shown before')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    const link = await page.locator('.add-link').getAttribute('href')
    t.match(link, /^aduoer:\/\/origin\/add\?auth=[\w-]+$/)
    t.equal(Buffer.from(
      link!.split('auth=')[1]!, 'base64url'
    ).toString(), `type=wow&host=${served.origin}&token=${token}&name=Test source`)
  }))

t.test('a token that is too long for a picture still has its link', t => visit(t, browser, {
  fragment: `#token=${'x'.repeat(3000)}`,
  before: async app => app.addHook('onRequest', async request => {
    if (request.headers.authorization) request.headers.authorization = token
  })
}, async ({ page, go }) => {
  await go('/source')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.locator('.add-link').waitFor()
  t.equal(await page.locator('.qr').count(), 0)
}))

t.test('a check whose view is left ends', t => {
  const { promise: isAsked, resolve: asked } = deferred<void>()
  const { promise: late, resolve: answer } = deferred<void>()
  return visit(t, browser, {
    adapter: base =>
      ({ getPlaylistCategories: async () => { asked(); await late; return base.getPlaylistCategories() } })
  }, async ({ page, go, open }) => {
    await open('/source')
    const failed = page.waitForEvent('requestfailed', request => request.url().endsWith('/page/check'))
    await page.getByRole('button', { name: 'Run the check' }).click()
    await isAsked
    await go('/queue')
    await failed
    answer()
  })
})

t.test('the tab is not there when the option says so', t => visit(t, browser, {
  page: { inspector: false }
}, async ({ page }) => {
  await page.getByRole('link', { name: 'Home' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'For authors' }).count(), 0)
}))

t.test('the API reference tries the source, and keeps the policy', t => visit(t, browser, {
  page: { docs: true }, fragment: 'docs/'
}, async ({ page }) => {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.locator('.auth-container input').fill(token)
  await page.locator('.auth-btn-wrapper .authorize').click()
  await page.locator('.auth-btn-wrapper .btn-done').click()
  await page.locator('#operations-artist-getTopArtists').click()
  await page.locator('#operations-artist-getTopArtists .execute').click()
  await page.locator('.live-responses-table', { hasText: 'Ada Quartet' }).waitFor()
}))

for (const width of widths) {
  t.test(`the answer to an operation can be read to its end, ${width} px`, t => visit(t, browser, {
    browser: wide(width)
  }, async ({ page, go }) => {
    await go('/source')
    const operation = page.locator('.operation', { hasText: '/v1/track/daily' })
    await operation.locator('summary').click()
    await operation.getByRole('button', { name: 'Send' }).click()
    const answer = operation.locator('.answer')
    await answer.waitFor()
    t.ok(await answer.evaluate(pre =>
      pre.getBoundingClientRect().right <= pre.closest('.panel')!.getBoundingClientRect().right))
  }))
}

for (const width of widths) {
  t.test(`operations are filtered, capabilities lead to theirs, and the check names what was not run and why, ${width} px`, t =>
    visit(t, browser, { browser: wide(width) }, async ({ page, go }) => {
      const forms = page.locator('.operation')
      await go('/source')
      await forms.first().waitFor()
      await page.getByRole('searchbox', { name: 'Filter' }).fill('lyrics')
      t.equal(await forms.count(), 1)
      await page.getByRole('button', { name: 'getDailyTracks' }).click()
      const daily = page.locator('.operation[open]')
      await daily.filter({ hasText: '/v1/track/daily' }).waitFor()
      t.ok(await daily.locator('summary').evaluate(summary => summary === summary.ownerDocument.activeElement))
      await page.getByRole('button', { name: 'Run the check' }).click()
      const left = page.locator('.outcomes', { hasText: 'it would change data' })
      await left.locator('summary').click()
      await left.getByText('POST /v1/playlist/create').waitFor()
      t.ok(await page.evaluate('document.getElementById("main").scrollWidth <= innerWidth'))
    }))
}

t.test('what was logged of a failed request is shown with its answer', t => visit(t, browser, {
  adapter: () => ({ getTrackDetail () { throw new TypeError('no artist') } }) as never
}, async ({ page, go }) => {
  await go('/source')
  const operation = page.locator('.operation', { has: page.locator('form[aria-label=getTrackDetail]') })
  await operation.locator('summary').click()
  await operation.getByLabel('id').fill('t1')
  await operation.getByRole('button', { name: 'Send' }).click()
  await operation.getByLabel('Log').filter({ hasText: 'TypeError: no artist' }).waitFor()
}))

t.test('an answer folds, is searched in, is copied, and its ids lead to the next form', t =>
  visit(t, browser, {}, async ({ page, open }) => {
    await open('/source')
    const operation = page.locator('.operation', { has: page.locator('form[aria-label=searchTracks]') })
    await operation.locator('summary').first().click()
    await operation.getByLabel('keyword').fill('night')
    await operation.getByRole('button', { name: 'Send' }).click()
    const answer = operation.getByRole('region', { name: 'Answer' })
    await answer.getByText('"Night Song 3"').waitFor()
    await operation.getByRole('searchbox', { name: 'Find' }).fill('night song 7')
    await answer.getByText('"Night Song 3"').waitFor({ state: 'detached' })
    await answer.getByText('"Night Song 7"').waitFor()
    await operation.getByRole('button', { name: 'Copy: Answer' }).click()
    await operation.getByText('Copied').waitFor()
    await answer.getByRole('button', { name: '"t7"' }).click()
    const next = page.locator('.operation[open]', { has: page.locator('form[aria-label=getTrackDetail]') })
    await next.waitFor()
    t.equal(await next.getByLabel('id').inputValue(), 't7')
  }))

t.test('the inspector names the account and lists what the page itself asked, with times', t =>
  visit(t, browser, {}, async ({ page, open, served }) => {
    await open('/source')
    const { nickname } = await served.adapter.getUserMe()
    await page.locator('.context', { hasText: nickname }).waitFor()
    await page.locator('.request-log li', { hasText: /200\d+ ms\/v1\/user\/me/ }).first().waitFor()
  }))
