import { mkdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Page } from 'playwright-core'
import { launch } from '../browser.ts'
import { mp3, start, startWith, token } from '../example/helper.ts'

// Shows that the page of the example works. With SCREENSHOTS=1 it also makes the pictures of the documentation anew.
const folder = 'docs/images'
const browser = await launch(t)

/** A picture as WebP, which Chromium writes in a canvas. */
async function webp (png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const url: string = await page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.82)
  })()`)
  await page.close()
  return Buffer.from(url.split(',')[1]!, 'base64')
}

const shoot = async (page: Page, name: string) => {
  const png = await page.screenshot()
  if (process.env.SCREENSHOTS === undefined) return
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}/${name}.webp`, await webp(png))
}

t.test('the example has its page, where its music is played with its lyrics', async t => {
  const { app } = await start(t, { NODE_ENV: 'test' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`

  const settings = { locale: 'en-GB', reducedMotion: 'reduce', colorScheme: 'dark' } as const
  const context = await browser.newContext({ ...settings, viewport: { width: 1280, height: 800 } })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(`${url}#token=${encodeURIComponent(token)}`)
  await page.getByText('Recommended', { exact: true }).waitFor()
  await page.waitForLoadState('networkidle')
  await shoot(page, 'page-home')

  await page.getByRole('searchbox').fill('freude')
  await page.getByRole('button', { name: 'Play Ode an die Freude', exact: true }).click()
  await page.goto(`${url}#/playing`)
  await page.locator('.lyrics [aria-current]', { hasText: 'Tochter aus Elysium' }).waitFor()
  await shoot(page, 'page-playing')

  await page.goto(`${url}#/source`)
  await page.locator('.operation').first().waitFor()
  await shoot(page, 'page-source')
  const state = await context.storageState()

  const phone = await browser.newContext({
    ...settings, colorScheme: 'light', viewport: { width: 390, height: 780 }, storageState: state
  })
  t.teardown(() => phone.close())
  const small = await phone.newPage()
  await small.goto(url)
  await small.getByText('Recommended', { exact: true }).waitFor()
  await small.waitForLoadState('networkidle')
  await shoot(small, 'page-phone')
  t.equal(await small.title(), 'Music')
  t.equal(await small.getByText('My music', { exact: true }).count(), 1)
})

t.test('artists of the example stand without their articles, and are found by their letters', async t => {
  const artists = ['AC/DC', 'The Beatles', 'Cher']
  const files = Object.fromEntries(artists.map((artist, at) => [`${at}.mp3`, mp3({ title: `Song ${at}`, artist })]))
  const { app } = await startWith(t, files, { PAGE: 'true' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const page = await browser.newPage({ locale: 'en-GB' })
  t.teardown(() => page.close())
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`
  await page.goto(`${url}#token=${encodeURIComponent(token)}`)
  await page.getByRole('link', { name: 'Artists', exact: true }).click()
  const names = page.locator('main .card-name')
  await names.nth(2).waitFor()
  t.strictSame(await names.allTextContents(), artists)
  await page.getByRole('searchbox').fill('acdc')
  await page.getByRole('button', { name: 'Play Song 0', exact: true }).waitFor()
})

t.test('in production the example has the page when a setting says so, without what is for authors', async t => {
  t.notMatch((await (await start(t)).call('/')).body, 'inspector')
  const { call } = await start(t, { PAGE: 'true', PAGE_TITLE: 'Ours' })
  t.match(
    (await call('/')).body, /&quot;title&quot;:&quot;Ours&quot;.*&quot;inspector&quot;:false,&quot;docs&quot;:false/
  )
  t.equal((await call('/docs/')).statusCode, 404)
})
