import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import { launch } from '../browser.ts'
import { command, folder, start, token, until } from '../example/helper.ts'
import { household, visit } from './helper.ts'

const browser = await launch(t)

/** The example with its page, and the owner in a browser. */
async function family (t: Test) {
  const DATA_DIR = folder(t)
  const { app } = await start(t, { DATA_DIR, PAGE: 'true' })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  /** Opens an address in a browser of its own. */
  const open = async (url: string): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block' })
    t.teardown(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(180_000)
    await page.goto(url)
    return page
  }
  const owner = await open(`${origin}/#token=${encodeURIComponent(token)}`)
  await owner.locator('.avatar').waitFor()
  return { origin, open, owner, run: (...args: string[]) => command(DATA_DIR, args) }
}

async function openHousehold (page: Page): Promise<void> {
  await page.locator('.avatar').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Household' }).click()
  await page.getByRole('heading', { level: 1, name: 'Household' }).waitFor()
}

const albumsOf = async (page: Page, origin: string): Promise<string[]> => {
  await page.goto(`${origin}/#/albums`)
  await page.reload()
  await page.locator('.card-name').first().waitFor()
  return page.locator('.card-name').allTextContents()
}

t.test('the owner adds a child, who signs in by the link and has its limits, and removes it', async t => {
  const { origin, open, owner, run } = await family(t)
  await openHousehold(owner)
  await owner.getByLabel('Name').fill('Kim')
  await owner.getByText('Limits', { exact: true }).click()
  await owner.getByRole('checkbox', { name: 'Folk' }).check()
  await owner.getByRole('checkbox', { name: 'Save files' }).uncheck()
  await owner.locator('form').getByRole('button', { name: 'Add a person' }).click()
  const shown = owner.getByRole('dialog', { name: 'Kim' })
  const link = await shown.getByLabel('Link', { exact: true }).inputValue()
  t.ok(link.startsWith(`${origin}/#token=so_`))
  await owner.keyboard.press('Escape')
  t.match(await run('allow', 'Kim'), /genres: Folk\n {2}saves no files/)

  const kim = await open(link)
  await kim.getByRole('button', { name: 'Account: Kim' }).waitFor()
  t.strictSame(await albumsOf(kim, origin), ['Plucked at Dawn'])
  await kim.locator('.avatar').click()
  t.equal(await kim.getByRole('dialog').getByText('Household').count(), 0)
  await kim.goto(`${origin}/#/household`)
  await kim.getByRole('heading', { level: 1, name: /^Good/ }).waitFor()

  await owner.getByRole('link', { name: /^Kim.*Limited: Genres, Save files/ }).click()
  await owner.getByRole('heading', { level: 1, name: 'Kim' }).waitFor()
  await owner.getByRole('checkbox', { name: 'Folk' }).uncheck()
  await owner.getByRole('checkbox', { name: 'Classical' }).check()
  await owner.getByLabel('Maximum bit rate').fill('128')
  await owner.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.getByText('Saved').waitFor()
  t.match(await run('allow', 'Kim'), /genres: Classical\n {2}gets 128 kbit\/s at most\n {2}saves no files/)
  t.strictSame((await albumsOf(kim, origin)).sort(), ['Nachtorgel', 'Plucked at Dawn'])

  await owner.getByRole('button', { name: 'Remove Kim' }).click()
  const asks = owner.getByRole('dialog')
  await asks.getByLabel('Type the name: Kim').fill('kim')
  await asks.getByRole('button', { name: 'Remove', exact: true }).click()
  await asks.getByRole('alert').waitFor()
  t.match(await run('list'), 'Kim')
  await asks.getByLabel('Type the name: Kim').fill('Kim')
  await asks.getByRole('button', { name: 'Remove', exact: true }).click()
  await owner.locator('main').getByText(/^Kim is removed\. .*removed\/Kim .*\.json$/).waitFor()
  await owner.getByRole('link', { name: /^Kim/ }).waitFor({ state: 'detached' })
  await kim.reload()
  await kim.getByLabel('Token').waitFor()
})

t.test('a new link signs in on another device, which the owner revokes', async t => {
  const { origin, open, owner, run } = await family(t)
  await run('add', 'ann')
  await run('app-password', 'ann', 'phone')
  await owner.goto(`${origin}/#/household/ann`)
  await owner.getByRole('button', { name: 'Revoke phone' }).waitFor()
  await owner.getByRole('button', { name: 'New link' }).click()
  const link = await owner.getByLabel('Link', { exact: true }).inputValue()
  await owner.keyboard.press('Escape')
  await owner.getByText('a link that works once').waitFor()
  const ann = await open(link)
  await ann.getByRole('button', { name: 'Account: ann' }).waitFor()
  await owner.reload()
  await owner.getByRole('button', { name: /^Revoke .* on Linux$/ }).click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await until(async () => await owner.getByRole('button', { name: /^Revoke .* on Linux$/ }).count() === 0)
  await ann.reload()
  await ann.getByLabel('Token').waitFor()
  await owner.goto(`${origin}/#/household/nobody`)
  await owner.getByText('No longer available').waitFor()
})

t.test('a folder that has no track is reported, and the limits stay', async t => {
  const { origin, owner, run } = await family(t)
  await run('add', 'ann')
  await owner.goto(`${origin}/#/household/ann`)
  await owner.getByLabel('Folders').fill('Ada Plume\nNowhere')
  await owner.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.getByText('No track is in the folder Nowhere').waitFor()
  t.equal(await run('allow', 'ann'), 'ann')
  await owner.getByLabel('Folders').fill(' Ada Plume \n\n')
  await owner.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.getByText('Saved').waitFor()
  t.match(await run('allow', 'ann'), 'sees folders: Ada Plume')
})

t.test('the owner makes an app password, replaces a token, exports and imports on the page', async t => {
  const { origin, owner, run } = await family(t)
  await run('add', 'ann', 'laptop')
  await owner.goto(`${origin}/#/household/ann`)
  const dialog = owner.getByRole('dialog')
  await owner.getByLabel('Name of the app').fill('phone')
  await owner.getByRole('button', { name: 'Create' }).click()
  t.equal(await dialog.getByLabel('User name', { exact: true }).inputValue(), 'ann')
  t.ok((await dialog.getByLabel('Password', { exact: true }).inputValue()).length > 10)
  await owner.keyboard.press('Escape')
  await owner.getByRole('button', { name: 'Revoke phone' }).waitFor()
  t.equal(await owner.getByRole('button', { name: 'Replace phone' }).count(), 0)
  await owner.getByRole('button', { name: 'Replace laptop' }).click()
  await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
  t.match(await dialog.getByLabel('Token', { exact: true }).inputValue(), /^so_/)
  await owner.keyboard.press('Escape')

  await owner.getByLabel('Token of ListenBrainz').fill('not a token')
  await owner.getByRole('button', { name: 'Connect' }).click()
  await owner.getByText('Invalid token or session key of ListenBrainz').waitFor()
  await owner.getByRole('button', { name: 'Show what is playing' }).click()
  await owner.getByText('Other accounts see what ann is playing.').waitFor()
  await owner.getByRole('button', { name: 'Hide what is playing' }).click()
  await owner.getByText('Other accounts do not see what ann is playing.').waitFor()

  const importFile = async (name: string, text: string) => {
    await owner.getByLabel('File to import').setInputFiles(join(folder(t, { [name]: text }), name))
    await owner.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByLabel('Type the name: ann').fill('ann')
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  }
  await importFile('long.json', 'x'.repeat(32_000_000))
  await owner.getByText('The file is too large for the page, which sends at most 32MB.').waitFor()
  await importFile('evening.m3u8', '#EXTM3U\n#PLAYLIST:Evening\nnowhere.mp3')
  await dialog.getByText('Evening: tracks: 0, files that are not in the music folder: 1').waitFor()
  await owner.keyboard.press('Escape')
  const saved = async (button: string) => {
    const [download] = await Promise.all([
      owner.waitForEvent('download'), owner.getByRole('button', { name: button }).click()
    ])
    return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')] as const
  }
  t.match(await saved('Export as M3U8'), ['Evening.m3u8', '#EXTM3U\n#PLAYLIST:Evening'])
  const [name, text] = await saved('Export the account')
  t.equal(name, 'ann.json')
  t.match(JSON.parse(text), { format: 'source-account', playlists: [{ name: 'Evening' }] })
})

t.test('the owner makes a backup, restores it by its name and forgets missing tracks', async t => {
  const { owner, run } = await family(t)
  await run('add', 'ann')
  await openHousehold(owner)
  const dialog = owner.getByRole('dialog')
  await owner.getByRole('button', { name: 'Make a backup' }).click()
  await dialog.getByText(/^All that is kept for ann, owner is in .*backups.*\.sqlite$/).waitFor()
  await owner.keyboard.press('Escape')
  await run('remove', 'ann', 'ann')
  const name = await owner.getByLabel('Backup', { exact: true }).inputValue()
  await owner.getByRole('button', { name: 'Restore', exact: true }).click()
  await dialog.getByLabel(`Type the name: ${name}`).fill('ann')
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel(`Type the name: ${name}`).fill(name)
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await dialog.getByText('The accounts are now ann, owner').waitFor()
  await owner.keyboard.press('Escape')
  await owner.getByRole('link', { name: /^ann/ }).waitFor()
  await owner.getByRole('button', { name: 'Forget missing tracks' }).click()
  await dialog.getByRole('button', { name: 'Forget', exact: true }).click()
  await dialog.getByText(/^\d+ tracks are there$/).waitFor()
})

t.test('the storage, the last scan and the errors of the server are shown', t => visit(t, browser, {
  page: { household }
}, async ({ page, open, sees }) => {
  await open('/household')
  await sees('4GB')
  await sees('Free on the disk')
  await sees('The scan failed.')
  await page.getByText('Left out: 1').click()
  await sees('it has no audio')
  await sees('Errors today: 1')
  await sees('the disk is full')
}))

t.test('an account is connected by a login at another source, and disconnected', t => {
  const given: unknown[] = []
  return visit(t, browser, {
    page: { household: { ...household, run: async (...all) => { given.push(all); return {} } } }
  }, async ({ page, open, sees }) => {
    await open('/household/kim')
    await page.getByLabel('User name at music.example.org').fill('kim-there')
    await page.getByLabel('Password at music.example.org').fill('a secret')
    await page.locator('form', { hasText: 'Password at' }).getByRole('button', { name: 'Connect' }).click()
    await sees('Saved')
    await page.getByRole('button', { name: 'Disconnect ListenBrainz' }).click()
    await until(() => given.length === 2)
    t.strictSame(given, [
      ['connect', ['kim', 'subsonic'], 'kim-there\na secret'], ['disconnect', ['kim', 'listenbrainz'], '']
    ])
  })
})

t.test('the owner manages the household with the keyboard alone', t => visit(t, browser, {
  page: { household }
}, async ({ page, open }) => {
  await open('/household')
  await page.getByRole('textbox', { name: 'Name' }).focus()
  await page.keyboard.type('Ann')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Ann' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: /^kim/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove kim' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Remove kim' }).waitFor()
  await page.keyboard.type('kim')
  await page.keyboard.press('Enter')
  await page.getByText('kim is removed.').waitFor()
  t.equal(await page.evaluate('document.activeElement.tagName'), 'H1', 'the heading has the focus')
}))
