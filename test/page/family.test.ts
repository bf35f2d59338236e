import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import { launch } from '../browser.ts'
import { as, command, folder, start, tokenIn, until, write } from '../example/helper.ts'

const browser = await launch(t)

const nobody = 'the gate'

/** The example, with the page, and two accounts. */
async function family (t: Test) {
  const DATA_DIR = folder(t)
  const source = await start(t, { DATA_DIR, PAGE: 'true' })
  const origin = await source.app.listen({ host: '127.0.0.1', port: 0 })
  const run = (...args: string[]) => command(DATA_DIR, args)
  const links = { ann: tokenIn(await run('add', 'ann', 'link')), bob: tokenIn(await run('add', 'bob', 'link')) }
  const ann = as(source, links.ann)
  const { id } = await write(ann, 'playlist/create', { name: 'Ours' })
  return { source, origin, run, links, ann, list: id as string }
}

/** Who a tab shows that it is of: the account, or the gate with the names in it; empty in between. */
const whoIn = (page: Page): Promise<string> => page.evaluate(gate => {
  const label = document.querySelector('.avatar')?.getAttribute('aria-label')
  if (label) return label.slice('Account: '.length)
  if (document.querySelector('.gate input[type=password]') === null) return ''
  const buttons = [...document.querySelectorAll('.gate button')].map(({ textContent }) => String(textContent))
  const names = buttons.filter(name => name.startsWith('Sign in as ')).map(name => name.slice('Sign in as '.length))
  return [gate, ...names.sort()].join(' ')
}, nobody)

const tokenOf = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.parse(localStorage['source-page:sources'] ?? '[{"token":""}]')[0].token)

async function choose (page: Page, name: string) {
  await page.locator('.avatar').click()
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
}

t.test('who sees what in two browsers with two tabs each, after each step, by /v1, the page and /rest', async t => {
  const { source, origin, run, links, ann, list } = await family(t)
  const tabs: Page[] = []
  for (const device of ['X11; Linux x86_64', 'Linux; Android 10; K']) {
    const userAgent = `Mozilla/5.0 (${device}) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36`
    const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block', userAgent })
    t.teardown(() => context.close())
    for (let tab = 0; tab < 2; tab++) {
      const page = await context.newPage()
      page.setDefaultTimeout(180_000)
      tabs.push(page)
    }
  }
  const [hall, hall2, phone, phone2] = tabs as [Page, Page, Page, Page]
  const go = (page: Page, token?: string) =>
    page.goto(token === undefined ? `${origin}/` : `${origin}/#token=${encodeURIComponent(token)}`)
  const others = async (page: Page) => {
    const token = await tokenOf(page)
    const { devices } = await as(source, token).data('/page/app-passwords')
    return { token, devices: devices as { id: string, name: string, isThis: boolean }[] }
  }
  let lost = ''
  const steps: [what: string, run: () => Promise<unknown>, seen: [string, string, string, string]][] = [
    ['nobody has signed in', async () => { for (const page of tabs) await go(page) }, [nobody, nobody, nobody, nobody]],
    ['ann types her token in the hall', async () => {
      await hall.getByLabel('Token').fill(links.ann)
      await hall.getByRole('button', { name: 'Sign in', exact: true }).click()
    }, ['ann', 'ann', nobody, nobody]],
    ['ann opens a link that works once on the phone', async () => go(phone, tokenIn(await run('link', 'ann'))),
      ['ann', 'ann', 'ann', 'ann']],
    ['bob is next in the hall', async () => choose(hall, 'Switch account'),
      [`${nobody} ann`, `${nobody} ann`, 'ann', 'ann']],
    ['bob signs in there', async () => {
      await hall.getByLabel('Token').fill(links.bob)
      await hall.getByRole('button', { name: 'Sign in', exact: true }).click()
    }, ['bob', 'bob', 'ann', 'ann']],
    ['back to ann in the other tab', async () => {
      await choose(hall2, 'Switch account')
      await hall2.getByRole('button', { name: 'Sign in as ann' }).click()
    }, ['ann', 'ann', 'ann', 'ann']],
    ['bob opens his link on the phone', async () => {
      await go(phone2, links.bob)
      await phone2.getByRole('button', { name: 'Sign in with the link' }).click()
      await until(async () => await whoIn(phone2) === 'bob')
      await phone.reload()
    }, ['ann', 'ann', 'bob', 'bob']],
    ['bob signs out on the phone', async () => choose(phone, 'Sign out'),
      ['ann', 'ann', `${nobody} ann`, `${nobody} ann`]],
    ['ann goes on there', async () => phone.getByRole('button', { name: 'Sign in as ann' }).click(),
      ['ann', 'ann', 'ann', 'ann']],
    ['the token of the link is replaced', async () => {
      const { devices } = await others(hall)
      await run('rotate', devices.find(({ name }) => name === 'link')!.id)
    }, ['ann', 'ann', 'ann', 'ann']],
    ['the phone is lost, and ended in the hall', async () => {
      lost = await tokenOf(phone)
      await hall.goto(`${origin}/#/sources`)
      const { devices } = await others(hall)
      t.equal(devices.filter(({ isThis }) => isThis).length, 1)
      await hall.getByText('This browser').waitFor()
      await hall.getByRole('button', { name: 'Revoke Chrome on Android' }).click()
      await hall.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
      await until(async () => (await as(source, lost).call('/v1/status')).statusCode === 401)
      for (const page of [phone, phone2]) await page.reload()
    }, ['ann', 'ann', nobody, nobody]],
    ['ann is removed', async () => {
      await run('remove', 'ann', 'ann')
      for (const page of [hall, hall2]) await go(page).then(() => page.reload())
    }, [`${nobody} bob`, `${nobody} bob`, nobody, nobody]],
    ['bob goes on', async () => hall.getByRole('button', { name: 'Sign in as bob' }).click(),
      ['bob', 'bob', nobody, nobody]],
    ['all sign out', async () => choose(hall, 'Sign out'), [nobody, nobody, nobody, nobody]]
  ]
  for (const [what, step, seen] of steps) {
    await t.test(what, async t => {
      await step()
      for (const [at, page] of tabs.entries()) {
        await until(async () => await whoIn(page) === seen[at])
        t.equal(await whoIn(page), seen[at], `tab ${at}`)
      }
      for (const page of [hall, phone]) {
        const token = await tokenOf(page)
        const name = await whoIn(page)
        if (name.startsWith(nobody)) continue
        t.equal((await as(source, token).data('/v1/user/me')).nickname, name, 'by /v1')
        const rest = await source.call(`/rest/tokenInfo?${new URLSearchParams({ u: 'x', p: token, f: 'json', c: 'app' })}`)
        t.equal(rest.json()['subsonic-response'].tokenInfo.username, name, 'by /rest')
        for (const link of Object.values(links)) t.not(token, link, 'each browser has its own token')
      }
      if (what === 'bob signs in there') {
        const bob = as(source, await tokenOf(hall))
        for (const everyone of ['hear', 'no'] as const) {
          await ann.call('/page/sharing', { method: 'POST', payload: { id: list, everyone } })
          t.equal((await bob.data('/v1/user/playlist/list')).length, everyone === 'hear' ? 1 : 0)
          await hall.reload()
          const shown = hall.locator('.sidebar').getByRole('link', { name: 'Ours' })
          await until(async () => await shown.count() === (everyone === 'hear' ? 1 : 0))
        }
      }
    })
  }
  t.match(await run('list'), /^bob\n {2}\S+ {2}\S+ {2}link/)
})
