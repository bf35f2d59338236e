import t from 'tap'
import type { Track } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { visit } from './helper.ts'

const browser = await launch(t)
const count = 10_000

const track = (base: Track, index: number): Track => ({ ...base, id: `n${index}`, title: `Number ${index}` })

t.test('ten thousand tracks are scrolled to their end, with the rows that can be seen in the document', t => {
  const offsets: number[] = []
  return visit(t, browser, {
    adapter: base => ({
      searchTracks: async (_keyword, offset, limit) => {
        offsets.push(offset)
        const one = await base.getTrackDetail('t1')
        const items = Array.from({ length: Math.min(limit, count - offset) }, (_empty, index) => track(one, offset + index))
        return { items, offset, limit, hasMore: offset + limit < count }
      }
    })
  }, async ({ page, go, row }) => {
    await go('/search/number')
    await row('Number 0').first().waitFor()
    let most = 0
    for (let loaded = 0; loaded < count;) {
      await page.evaluate('document.getElementById("main").scrollTop = 1e9')
      await page.waitForFunction(before => Number((globalThis as any).document.querySelector('.row').getAttribute('aria-setsize')) > before, loaded)
      loaded = Number(await page.locator('.row').first().getAttribute('aria-setsize'))
      most = Math.max(most, await page.locator('.row').count())
    }
    await page.evaluate('document.getElementById("main").scrollTop = 1e9')
    await row('Number 9999').waitFor()
    t.ok(most < 60, `at most ${most} rows at a time`)
    t.equal(new Set(offsets).size, offsets.length, 'no page was asked for twice')

    // Tells, without a verdict: machines differ.
    const frames: any = await page.evaluate(`new Promise(resolve => {
      const main = document.getElementById('main')
      const began = performance.now()
      let frames = 0
      const step = () => {
        main.scrollTop -= 400
        if (++frames < 120) requestAnimationFrame(step)
        else resolve(frames / (performance.now() - began) * 1000)
      }
      requestAnimationFrame(step)
    })`)
    t.comment(`${Math.round(frames)} frames per second`)
  })
})

t.test('a playlist of ten thousand tracks plays from its middle', t => visit(t, browser, {
  adapter: base => ({
    getPlaylistDetail: async id => {
      const [one, playlist] = await Promise.all([base.getTrackDetail('t1'), base.getPlaylistDetail('p0', -1)])
      return { ...playlist, id, trackCount: count, tracks: Array.from({ length: count }, (_empty, index) => track(one, index)) }
    },
    getTrackUrl: (_id, quality) => base.getTrackUrl('t1', quality)
  })
}, async ({ page, go, row }) => {
  await go('/playlist/p0')
  await row('Number 3').first().waitFor()
  await page.evaluate('document.getElementById("main").scrollTop = 5000 * 60 + 400')
  await page.getByRole('button', { name: 'Play Number 5000', exact: true }).click()
  await page.locator('.player-title', { hasText: 'Number 5000' }).waitFor()
  await page.locator('.player').getByRole('button', { name: 'Next' }).click()
  await page.locator('.player-title', { hasText: 'Number 5001' }).waitFor()
  await page.reload()
  await page.locator('.player-title', { hasText: 'Number 5001' }).waitFor()
}))
