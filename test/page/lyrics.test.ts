import t from 'tap'
import { launch } from '../browser.ts'
import { visit } from './helper.ts'

const browser = await launch(t)
const play = { name: 'Play Morning Song 4', exact: true }

t.test('lyrics follow what is heard, word by word, with their translation', t => visit(t, browser, {
  adapter: () => ({
    getTrackLyrics: () => ({
      lyrics: '[00:00.00]One two\n[00:08.00]Three four\n[00:11.00]Five',
      wordLyrics: '[00:00.00]<00:00.00>One <00:04.00>two\n' +
        '[00:08.00]<00:08.00>Three <00:09.50>four\n[00:11.00]<00:11.00>Five',
      translatedLyrics: '[00:00.00]Eins zwei\n[00:08.00]Drei vier'
    })
  })
}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play).click()
  await go('/playing')
  const line = page.locator('.lyrics [aria-current]')
  await line.filter({ hasText: 'One two' }).filter({ hasText: 'Eins zwei' }).waitFor()
  await page.locator('.lyrics button', { hasText: 'Three' }).click()
  await line.filter({ hasText: 'Three four' }).waitFor()
  await page.locator('.word.sung', { hasText: 'Three' }).waitFor()
  await page.locator('.word.sung', { hasText: 'four' }).waitFor()
  await line.filter({ hasText: 'Five' }).waitFor()
}))

t.test('lyrics without times are shown as they are', t => visit(t, browser, {
  adapter: () => ({ getTrackLyrics: () => ({ lyrics: '[ti:Song]\nFirst line\n\nSecond line', translatedLyrics: '' }) })
}, async ({ page, go }) => {
  await go('/daily')
  await page.getByRole('button', play).click()
  await go('/playing')
  await page.locator('.lyrics', { hasText: 'Second line' }).waitFor()
  t.notMatch(await page.locator('.lyrics').textContent(), 'ti:')
}))

t.test('a track without lyrics says so', t => visit(t, browser, {
  adapter: () => ({ getTrackLyrics: () => ({ lyrics: '' }) })
}, async ({ page, go, sees }) => {
  await go('/daily')
  await page.getByRole('button', play).click()
  await go('/playing')
  await sees('This track has no lyrics.')
}))
