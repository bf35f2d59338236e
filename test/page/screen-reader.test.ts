import t from 'tap'
import { launch } from '../browser.ts'
import { household, token, visit } from './helper.ts'

const browser = await launch(t)

/** Lines of an accessibility tree that stand for something to use or to find, but have no name. */
const nameless = (tree: string) => tree.split('\n').filter(line =>
  /^\s*- (?:button|link|slider|combobox|textbox|searchbox|checkbox|img|navigation|region|dialog)(?:$|:| \[)/.test(line))

const views = [
  ['/search', 'Search'], ['/search/noon', 'Results for “noon”'], ['/search/noon?in=albums', 'Results for “noon”'],
  ['/daily', 'Today'],
  ['/new', 'New'], ['/playlists', 'Playlists'], ['/playlists/day', 'Playlists'], ['/playlist/p0', 'Morning Hours 0'],
  ['/toplists', 'Top lists'],
  ['/toplist/c0', 'Most played'], ['/artists', 'Artists'], ['/artist/a0', 'Ada Quartet'],
  ['/artist/a0?show=albums', 'Ada Quartet'],
  ['/album/b0', 'Morning Music'], ['/album/gone', 'Album'], ['/library', 'Favourite tracks'],
  ['/library/playlists', 'My playlists'], ['/queue', 'Queue'],
  ['/playing', 'Morning Song 4'], ['/sources', 'Settings'], ['/household', 'Household'],
  ['/household/kim', 'kim'], ['/source', 'For authors'], ['/', /^Good/]
] as const

t.test('everything in every view has a name, and its heading has the focus when one comes there', t =>
  visit(t, browser, {
    page: { docs: true, household },
    adapter: () => ({ getTrackLyrics: () => ({ lyrics: '[00:00.00]One\n[00:09.00]Two' }) })
  }, async ({ page, open }) => {
    await page.getByRole('button', { name: /^Play all: Today/ }).click()
    for (const [view, heading] of views) {
      await open(view)
      const tree = await page.locator('body').ariaSnapshot()
      t.strictSame(nameless(tree), [], view)
      const [first, ...others] = tree.split('\n').filter(line => line.includes('[level=1]'))
      t.match(/heading "(.*)" \[level=1\]/.exec(first ?? '')?.[1], heading, view)
      t.strictSame(others, [], `${view} has one heading`)
      for (const landmark of ['navigation "Navigation"', 'main', 'region "Player"', 'search']) {
        t.match(tree, `- ${landmark}:`, `${view} has a ${landmark}`)
      }
      t.equal(await page.evaluate('document.activeElement.tagName'), 'H1', `${view} has the focus on its heading`)
    }
  }))

t.test('a track and the player read well', t => visit(t, browser, {}, async ({ page, open, row }) => {
  await open('/daily')
  t.equal(await row('Noon Song 5').ariaSnapshot(), `- listitem:
  - button "Play Noon Song 5": Noon Song 5
  - link "Bela Quartet":
    - /url: "#/artist/a1"
  - link "Noon Music":
    - /url: "#/album/b1"
  - text: 3:05
  - 'button "Favourite: Noon Song 5"'
  - button "More for Noon Song 5"`)
  await page.getByRole('button', { name: 'Play Noon Song 5', exact: true }).click()
  const player = page.getByRole('region', { name: 'Player' })
  await player.getByRole('button', { name: 'Pause' }).waitFor()
  const tree = await player.ariaSnapshot()
  for (const control of [
    'link "Open Now playing"', 'link "Noon Song 5"', 'button "Shuffle"', 'button "Previous"', 'button "Next"',
    'button "Repeat: off"', 'slider "Position"',
    'combobox "Quality"', 'button "Mute"', 'slider "Volume"'
  ]) t.match(tree, control)
}))

t.test('what comes without being asked for is announced: results, notices and what went wrong', t => visit(t, browser, {
  fragment: ''
}, async ({ page, open }) => {
  await page.getByLabel('Token').fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'does not recognise this token' }).waitFor()
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByRole('searchbox').fill('noon')
  await page.getByRole('status').filter({ hasText: '4 listed' }).waitFor({ state: 'attached' })
  await page.getByRole('searchbox').fill('zzz')
  await page.getByRole('status').filter({ hasText: 'No results' }).waitFor()
  await open('/daily')
  await page.getByRole('button', { name: 'More for Noon Song 5' }).click()
  t.match(await page.getByRole('dialog').ariaSnapshot(), /^- dialog "Noon Song 5":/)
  await page.getByRole('button', { name: 'Play next' }).click()
  await page.getByRole('status').filter({ hasText: 'Noon Song 5' }).waitFor()
  await open('/album/gone')
  await page.getByRole('alert').filter({ hasText: 'There is no gone' }).waitFor()
}))
