import t from 'tap'
import { launch } from '../browser.ts'
import { addSource, elsewhere, visit } from './helper.ts'

const browser = await launch(t)

for (const [locale, soFar, ofAll] of [
  ['en-GB', 'Scanning your music: 12,400 files so far', 'Scanning your music: 12,500 of 50,000 files'],
  ['zh-CN', '正在读取音乐：已读取 12,400 个文件', '正在读取音乐：12,500 / 50,000 个文件']
] as const) {
  t.test(`${locale}: a line tells how far the source is with its files, until the lists are loaded anew`, t => {
    let progress: { done: number, total?: number } | undefined = { done: 12_400 }
    const asked: unknown[] = []
    let isFailing = false
    return visit(t, browser, {
      browser: { locale },
      page: {
        progress: () => {
          asked.push(progress)
          if (isFailing) throw new Error('down')
          return progress
        }
      },
      adapter: base => ({
        getDailyTracks: async () => progress === undefined ? base.getDailyTracks() : [],
        getPlaylists: async (...args) => ({
          ...await base.getPlaylists(...args), hasMore: false, ...progress !== undefined && { items: [] }
        })
      })
    }, async ({ page, open, row }) => {
      await page.clock.install()
      await page.reload()
      await open('/playlists')
      const line = page.locator('.progress[aria-live=polite]')
      await line.getByText(soFar).waitFor()
      const look = async () => {
        const answered = page.waitForResponse(/page\/progress$/)
        await page.clock.runFor(3000)
        await answered
      }
      progress = { done: 12_500, total: 50_000 }
      await look()
      await line.getByText(ofAll).waitFor()
      isFailing = true
      await look()
      isFailing = false
      await line.getByText(ofAll).waitFor()
      t.equal(await page.locator('.card').count(), 0)
      progress = undefined
      const offers = page.waitForResponse(/v1\/status$/)
      await look()
      await offers
      await page.locator('.card').first().waitFor()
      await page.locator('.progress:empty').waitFor({ state: 'attached' })
      const count = asked.length
      await page.clock.runFor(60_000)
      await open('/daily')
      await row('Noon Song 5').waitFor()
      t.equal(asked.length, count, 'a source that reads nothing is asked no more')
    })
  })
}

t.test('a list that is loaded anew while its next page is on the way goes on to that page', t => {
  let progress: { done: number } | undefined
  let isHeld = true
  return visit(t, browser, {
    page: { progress: () => progress },
    adapter: base => ({
      getPlaylists: async (offset, limit) => {
        if (offset > 0 && isHeld) await new Promise<never>(() => {})
        const { items: [one] } = await base.getPlaylists(0, 1)
        const items = Array.from({ length: limit }, (_empty, index) => ({ ...one!, id: `p${offset + index}` }))
        return { items, offset, limit, hasMore: offset === 0 }
      }
    })
  }, async ({ page, open }) => {
    await page.clock.install()
    progress = { done: 1 }
    await page.reload()
    const isAsked = page.waitForRequest(/offset=50/)
    await open('/playlists')
    await page.evaluate('main.scrollTop = 1e9')
    await isAsked
    isHeld = false
    progress = undefined
    await page.clock.runFor(3000)
    await page.locator('.card[aria-setsize="100"]').first().waitFor()
  })
})

t.test('a scan that the listener starts is told of until it ends, in any view, and lists have what it found', t => {
  let scan = { scanning: false, count: 8 }
  return visit(t, browser, {
    adapter: base => ({
      startScan: () => (scan = { scanning: true, count: 8 }),
      getScanStatus: () => scan,
      getDailyTracks: async () => (await base.getDailyTracks()).map(track => ({ ...track, title: `Of ${scan.count}` }))
    })
  }, async ({ page, open, row, sees, go }) => {
    await page.clock.install()
    await page.reload()
    await open('/sources')
    await page.getByRole('button', { name: 'Scan', exact: true }).click()
    await sees('Scanning: 8 tracks so far')
    t.ok(await page.getByRole('button', { name: 'Scan', exact: true }).isDisabled())
    scan = { scanning: true, count: 1200 }
    await page.clock.runFor(1000)
    await sees('Scanning: 1,200 tracks so far')
    await open('/daily')
    await row('Of 1200').first().waitFor()
    scan = { scanning: false, count: 1201 }
    await page.clock.runFor(1000)
    await row('Of 1201').first().waitFor()
    await sees('Scan finished: 1,201 tracks')

    scan = { scanning: true, count: 1 }
    await go('/sources')
    await sees('Scanning: 1 track so far')
    scan = { scanning: false, count: 2 }
    await page.clock.runFor(1000)
    await sees('Scan finished: 2 tracks')
    await page.getByRole('button', { name: 'Scan', exact: true }).and(page.locator(':enabled')).waitFor()
  })
})

t.test('of another source, and of one that tells nothing, nothing is asked', async t => {
  const asked: string[] = []
  const other = await elsewhere(t)
  await visit(t, browser, { page: { progress: () => ({ done: 1, total: 2 }) } }, async ({ page, go, sees }) => {
    await sees('1 of 2 files')
    page.on('request', request => { if (/progress/.test(request.url())) asked.push(request.url()) })
    await addSource({ page, go }, other)
    t.equal(await page.locator('.progress').count(), 0)
  })
  await visit(t, browser, {}, async ({ page }) => {
    page.on('request', request => { if (/progress/.test(request.url())) asked.push(request.url()) })
    await page.reload()
    await page.getByRole('heading', { level: 1, name: /Good/ }).waitFor()
    t.equal(await page.locator('.progress').count(), 0)
  })
  t.strictSame(asked, [])
})
