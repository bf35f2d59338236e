import t from 'tap'
import type { Track } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { addSource, elsewhere, playedTo, silenceUrl, visit, type Visit } from './helper.ts'
import { deferred } from '../helper.ts'

const browser = await launch(t)
const play = (title: string) => ({ name: `Play ${title}`, exact: true })

/** Something that comes when `come` is called. */
function later () {
  const { promise: late, resolve: come } = deferred<void>()
  return { late, come }
}

/** Whatever the page does with an answer, it has done some frames after it. */
const settled = ({ page }: Visit) =>
  page.evaluate('(async () => { for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame) })()')

const switchTo = async ({ page }: Visit, name: string) => {
  await page.locator('.sidebar select').selectOption(name)
  await page.locator('.brand', { hasText: name }).waitFor()
}

t.test('a URL that comes after the listener went to another source is not played there', async t => {
  const { late, come } = later()
  const other = await elsewhere(t)
  await visit(t, browser, {
    adapter: (base, served) => ({
      getTrackUrl: async (id, quality) => {
        await late
        return { ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) }
      }
    })
  }, async visited => {
    const { page, go, served } = visited
    await addSource(visited, other)
    await go('/daily')
    await page.getByRole('button', play('Noon Song 5')).click()
    await playedTo(page, 0.1)
    await switchTo(visited, 'Test source')
    const asked = page.waitForRequest(/track\/url\?id=t4/)
    await page.getByRole('button', play('Morning Song 4')).click()
    await asked
    await switchTo(visited, 'The other one')
    const sounds: string[] = []
    page.on('request', request => {
      if (request.url().startsWith(served.origin) && /silence/.test(request.url())) sounds.push(request.url())
    })
    come()
    await settled(visited)
    await page.locator('.player-title', { hasText: 'Noon Song 5' }).waitFor()
    await page.locator('.player').getByRole('button', { name: 'Play', exact: true }).click()
    await playedTo(page, 0.1)
    t.strictSame(sounds, [])
  })
})

t.test('more tracks that come after the listener chose something else do not go on from there', t => {
  const { late, come } = later()
  let asked = 0
  return visit(t, browser, {
    adapter: (base, served) => ({
      getRoamTracks: async () => {
        if (asked++ > 0) await late
        return (await base.getRoamTracks()).slice(0, 1)
      },
      getTrackUrl: async (id, quality) => ({ ...await base.getTrackUrl(id, quality), url: silenceUrl(served(), 1) })
    })
  }, async visited => {
    const { page, go } = visited
    await page.getByRole('button', { name: /^Roam/ }).click()
    await playedTo(page, 0.1)
    const more = page.waitForRequest(/track\/roam/)
    await page.locator('.player').getByRole('button', { name: 'Next' }).click()
    await more
    await go('/daily')
    await page.getByRole('button', play('Morning Song 4')).click()
    await page.locator('.player-title', { hasText: 'Morning Song 4' }).waitFor()
    const came = page.waitForResponse(/track\/roam/)
    come()
    await came
    await settled(visited)
    t.equal(await page.locator('.player-title').textContent(), 'Morning Song 4')
    await playedTo(page, 0.1)
  })
})

for (const [name, path, start] of [
  ['roaming', /track\/roam/, async ({ page }: Visit) => page.getByRole('button', { name: /^Roam/ }).click()],
  ['similar tracks', /track\/similar/, async ({ page, go }: Visit) => {
    await go('/new')
    await page.getByRole('button', { name: 'More for Morning Song 8' }).click()
    await page.getByRole('button', { name: 'Play similar tracks' }).click()
  }]
] as const) {
  t.test(`what was asked for by ${name} is not played when the listener plays something else meanwhile`, t => {
    const { late, come } = later()
    const waits = (get: () => unknown) => async () => { await late; return get() as Track[] }
    return visit(t, browser, {
      adapter: base =>
        ({ getRoamTracks: waits(base.getRoamTracks), getSimilarTracks: waits(() => base.getSimilarTracks('t8')) })
    }, async visited => {
      const { page, go } = visited
      const asked = page.waitForRequest(path)
      await start(visited)
      await asked
      await go('/daily')
      await page.getByRole('button', play('Evening Song 6')).click()
      await page.locator('.player-title', { hasText: 'Evening Song 6' }).waitFor()
      const came = page.waitForResponse(path)
      come()
      await came
      await settled(visited)
      t.equal(await page.locator('.player-title').textContent(), 'Evening Song 6')
    })
  })
}

t.test('a token that was typed for one source is not there for another', async t => {
  const other = await elsewhere(t)
  await visit(t, browser, {}, async visited => {
    const { page, go } = visited
    const signOut = async () => {
      await go('/sources')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.locator('.gate').getByLabel('Token').waitFor()
    }
    await addSource(visited, other)
    await signOut()
    await page.locator('.gate').getByLabel('Source').selectOption('Test source')
    await page.locator('.brand', { hasText: 'Test source' }).waitFor()
    await signOut()
    await page.getByLabel('Token').fill('typed')
    await page.locator('.gate').getByLabel('Source').selectOption('The other one')
    await page.getByRole('heading', { level: 1, name: 'The other one' }).waitFor()
    t.equal(await page.getByLabel('Token').inputValue(), '')
  })
})
