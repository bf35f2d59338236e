import t from 'tap'
import { launch } from '../browser.ts'
import { token, visit } from './helper.ts'

const browser = await launch(t)

t.test('who comes without a token is asked for one, and told when it is wrong', t => visit(t, browser, { fragment: '' }, async ({ page, sees }) => {
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await sees('The source does not know this token.')
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
}))

t.test('who typed a wrong token can type on', t => visit(t, browser, { fragment: '' }, async ({ page, sees }) => {
  await page.getByLabel('Token').fill('wrong')
  await page.keyboard.press('Enter')
  await sees('The source does not know this token.')
  t.ok(await page.getByLabel('Token').evaluate('document.activeElement.type === "password"'), 'the field has the focus')
}))

t.test('a token that no header can hold is a wrong token, not a wrong address or a source that fails', t => visit(t, browser, { fragment: '' }, async ({ page, sees, go }) => {
  await page.getByLabel('Token').fill('密码')
  await page.keyboard.press('Enter')
  await sees('The source does not know this token.')
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  await go('/sources')
  await page.getByLabel('Address').fill('https://music.example.com')
  await page.getByLabel('Token').fill('密码')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await sees('The source does not know this token.')
}))

t.test('a token in the fragment signs in and leaves the address bar', t => visit(t, browser, {}, async ({ page }) => {
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  t.notMatch(page.url(), 'token')
  t.notOk(await page.evaluate('history.state'))
}))

t.test('the token stays in this browser', t => visit(t, browser, {}, async ({ page }) => {
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
}))

t.test('a token that is no longer good is asked for again', t => {
  let good = true
  const before = async (app: any) => app.addHook('onRequest', async (request: any, reply: any) => {
    if (!good && request.url.startsWith('/v1')) return reply.code(401).send({ code: 401, message: 'Unauthorized', data: null })
  })
  return visit(t, browser, { before }, async ({ page, sees, go }) => {
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    good = false
    await go('/artists')
    await sees('The source does not accept the token any more.')
    good = true
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Artists' }).waitFor()
  })
})

t.test('a source that does not answer is said to be so, and tried again', t => {
  let up = false
  const before = async (app: any) => app.addHook('onRequest', async (request: any, reply: any) => {
    if (!up && request.url === '/v1/status') return reply.code(502).send({ code: 502, message: 'no upstream', data: null })
  })
  return visit(t, browser, { before }, async ({ page, sees }) => {
    await sees(/The source failed: no upstream/)
    up = true
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
  })
})

t.test('the page works behind a prefix and at a path of its own', t =>
  visit(t, browser, { prefix: '/music', page: { path: '/player' } }, async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    t.match(page.url(), /\/music\/player\/$/)
  }))

t.test('another source can be added by its address, switched to and forgotten', async t => {
  const cors = (app: any) => app.addHook('onRequest', async (request: any, reply: any) => {
    reply.headers({ 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization' })
    if (request.method === 'OPTIONS') return reply.code(204).send()
  })
  const { serve } = await import('./helper.ts')
  const other = await serve(t, { before: async app => cors(app), context: { stateless: true } })
  await visit(t, browser, {}, async ({ page, sees, go }) => {
    await go('/sources')
    await page.getByLabel('Address').fill(other.origin)
    await page.getByLabel('Name').fill('The other one')
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.locator('.brand', { hasText: 'The other one' }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Library' }).count(), 0, 'the other one is stateless')
    await page.locator('.source-list button', { hasText: 'Test source' }).click()
    await page.getByRole('link', { name: 'Library' }).waitFor()
    await page.getByRole('button', { name: 'Forget The other one' }).click()
    t.equal(await page.locator('.source-list li').count(), 1)
    await sees('Test source')
  })
})

t.test('what is no address of a source is refused with a sentence', t => visit(t, browser, {}, async ({ page, sees, go }) => {
  await go('/sources')
  await page.getByLabel('Address').fill('http://name:secret@example.com')
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await sees(/This is no address of a source/)
}))
