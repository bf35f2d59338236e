import t from 'tap'
import { launch } from '../browser.ts'
import { visit } from './helper.ts'

const browser = await launch(t)

t.test('selecting what was typed with the mouse does not close the dialog', t => visit(t, browser, {}, async ({ page, go }) => {
  await go('/library/playlists')
  await page.getByRole('button', { name: 'New playlist' }).click()
  await page.getByLabel('Name').fill('A long name')
  const box = (await page.getByLabel('Name').boundingBox())!
  await page.mouse.move(box.x + 20, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(5, box.y + box.height / 2, { steps: 5 })
  await page.mouse.up()
  t.equal(await page.getByLabel('Name').inputValue({ timeout: 5000 }), 'A long name')
  await page.mouse.click(5, 5)
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}))
