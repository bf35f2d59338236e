import { UnplayableError, UpstreamError } from 'fastify-source-origin'
import t from 'tap'
import type { Page } from 'playwright-core'
import { launch } from '../browser.ts'
import { token, visit, wide, widths } from './helper.ts'

const browser = await launch(t)

async function openMenu (page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
  await page.getByRole('dialog').waitFor()
}

t.test('selecting what was typed with the mouse does not close the dialog', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    await go('/library/playlists')
    await page.getByRole('button', { name: 'New playlist' }).click()
    await page.getByLabel('Name').fill('A long name')
    const box = (await page.getByLabel('Name').boundingBox())!
    await page.mouse.move(box.x + 20, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(5, box.y + box.height / 2, { steps: 5 })
    await page.mouse.up()
    t.equal(await page.getByLabel('Name').inputValue(), 'A long name')
    await page.mouse.click(5, 5)
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }))

t.test('a dialog that changes what it shows keeps the focus', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/daily')
  await openMenu(page)
  await page.getByRole('button', { name: 'Add to playlist' }).press('Enter')
  await page.getByRole('heading', { name: 'Add to playlist' }).waitFor()
  await page.waitForFunction(() =>
    document.querySelector('dialog')!.contains(document.activeElement))
}))

t.test('the way back closes a dialog first, where the browser has a say in it', t =>
  visit(t, browser, {}, async ({ page, go }) => {
    const back = () => page.evaluate('history.back()')
    await go('/new')
    await go('/daily')
    await openMenu(page)
    await back()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    t.match(page.url(), /daily$/)
    await back()
    await page.getByRole('heading', { level: 1, name: 'New' }).waitFor()
    await page.addInitScript('delete globalThis.navigation')
    await page.reload()
    await go('/daily')
    await openMenu(page)
    await back()
    await page.getByRole('heading', { level: 1, name: 'New', includeHidden: true }).waitFor({ state: 'attached' })
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }))

t.test('a dialog that is opened right after one has come to a view stays open', t =>
  visit(t, browser, {}, async ({ page, go, row }) => {
    await go('/daily')
    await row('Noon Song 5').waitFor()
    await go('/new')
    await page.getByRole('heading', { level: 1, name: 'New' }).waitFor()
    await page.evaluate(`new Promise(resolve => {
      addEventListener('hashchange', () => {
        document.querySelector('[aria-label="More for Noon Song 5"]').click()
        // The same address is told of again, as when links are clicked faster than the browser tells of them.
        setTimeout(() => { dispatchEvent(new Event('hashchange')); resolve() })
      }, { once: true })
      history.back()
    })`)
    await page.getByRole('dialog').getByRole('button', { name: 'Add to playlist' }).click()
    await page.getByRole('heading', { name: 'Add to playlist' }).waitFor()
  }))

t.test('a dialog is gone when the source asks for another token', t => {
  let good = true
  return visit(t, browser, {
    before: async app => app.addHook('onRequest', async (request, reply) => {
      if (!good && request.url.startsWith('/v1')) {
        return reply.code(401)
          .send({ code: 401, message: 'Unauthorized', data: null })
      }
    })
  }, async ({ page, go, sees, row }) => {
    await go('/daily')
    await openMenu(page)
    good = false
    await page.getByRole('button', { name: 'Add to playlist' }).click()
    await sees('The source no longer accepts this token.')
    good = true
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await row('Noon Song 5').waitFor()
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 200)))')
    t.equal(await page.locator('dialog[open]').count(), 0)
  })
})

t.test('what was typed is there again when it could not be saved', t => visit(t, browser, {
  adapter: () => ({ createPlaylist: () => { throw new Error('no') } })
}, async ({ page, go, sees }) => {
  await go('/library/playlists')
  await page.getByRole('button', { name: 'New playlist' }).click()
  await page.getByLabel('Name').fill('A long name')
  await page.getByRole('button', { name: 'Save' }).click()
  await sees(/The source reported an error/)
  t.equal(await page.getByLabel('Name').inputValue(), 'A long name')
}))

for (const width of widths) {
  t.test(`what is typed into a dialog goes into its field, and Enter does what the dialog is for, ${width} px`, t =>
    visit(t, browser, { browser: wide(width) }, async ({ page, go, sees }) => {
      await go('/library/playlists')
      await page.getByRole('button', { name: 'New playlist' }).click()
      await page.keyboard.type('A song or two')
      t.equal(await page.getByLabel('Name').inputValue(), 'A song or two')
      await page.keyboard.press('Enter')
      await sees('“A song or two” was created')
      await page.locator('main').getByRole('link', { name: 'A song or two' }).click()
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.keyboard.type(' more ')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'A song or two more' }).waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      t.strictSame(await page.locator('.dialog .actions button').allTextContents(), ['Cancel', 'Delete'])
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'A song or two more' }).waitFor()
      await go('/daily')
      await openMenu(page)
      await page.getByRole('button', { name: 'Add to playlist' }).click()
      await page.getByRole('textbox', { name: 'New playlist' }).waitFor()
      await page.keyboard.type('By the way')
      await page.keyboard.press('Enter')
      await sees('Added to By the way')
    }))
}

t.test('what the source saves is saved from the menus of tracks, albums and playlists; what it does not is not offered',
  t => visit(t, browser, {
    page: {
      downloadUrl (kind, id) {
        if (id === 't5') throw new UnplayableError('This account may not download')
        return kind === 'artist' ? undefined : `/saved/${kind}-${id}`
      }
    },
    before: async app => app.get<{ Params: { name: string } }>('/saved/:name', (request, reply) =>
      reply.header('content-disposition', `attachment; filename="${request.params.name}"`).send('bytes'))
  }, async ({ page, open: go }) => {
    const open = (at = 0) => page.locator('.hero .actions, .row').getByRole('button', { name: /^More for/ }).nth(at).click()
    const download = page.getByRole('button', { name: 'Download', exact: true })
    for (const [view, name] of [
      ['/daily', 'track-t4'], ['/album/b0', 'album-b0'], ['/playlist/p0', 'playlist-p0']
    ] as const) {
      await go(view)
      const saved = page.waitForEvent('download')
      await open()
      await download.click()
      t.equal((await saved).suggestedFilename(), name)
    }
    for (const [view, at] of [['/artist/a0', 0], ['/daily', 1], ['/toplist/c0', 0]] as const) {
      await go(view)
      await open(at)
      await page.getByRole('button', { name: 'Play next' }).waitFor()
      await download.waitFor({ state: 'detached' })
    }
  }))

t.test('what fails to be saved for another reason is offered, and told', t => visit(t, browser, {
  page: { downloadUrl () { throw new UpstreamError('The files are away') } }
}, async ({ page, go, sees }) => {
  await go('/daily')
  await openMenu(page)
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  await sees('The files are away')
}))

t.test('a source that saves nothing offers no download', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/daily')
  await openMenu(page)
  t.equal(await page.getByRole('button', { name: 'Download', exact: true }).count(), 0)
}))
