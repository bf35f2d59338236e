/**
 * Measures the page in Chromium, with sharp:
 * `node --conditions=source-origin-dev --import=./test/strip-types.js test/bench/page.ts`.
 *
 * Prints, as Markdown, the bytes of Home with all that the page is made of, those of 500 albums that are scrolled to
 * their end, the elements of the document at the end of 5,000 albums, and the longest interaction (INP) with a playlist
 * of 5,000 tracks; passes no judgement.
 *
 *   --rounds 3      new profiles of the browser, of which the medians are printed
 */
import fastify from 'fastify'
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import sourceOrigin from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import sourcePage from 'fastify-source-origin/page'
import { createReferenceAdapter } from '../reference-source.ts'
import { locate } from '../services.ts'

// Its types are not there where it is not installed.
const name = 'sharp'
const { default: sharp } = await import(name)

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })

const size = 1200
/** Shapes and some grain, as covers have: about 300 kB. */
const cover = async (index: number) => {
  const grain = await sharp(randomBytes(300 * 300 * 3), { raw: { width: 300, height: 300, channels: 3 } })
    .resize(size, size).jpeg().toBuffer()
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">
    <rect width="100%" height="100%" fill="hsl(${index * 47 % 360} 50% 40%)" opacity=".8"/>
    <circle cx="${index * 131 % size}" cy="600" r="300" fill="hsl(${index * 91 % 360} 60% 60%)"/></svg>`
  return sharp(grain).composite([{ input: Buffer.from(svg) }]).jpeg({ quality: 90 }).toBuffer()
}
const covers = await Promise.all(Array.from({ length: 20 }, (_, index) => cover(index)))

const app = fastify()
const origin = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const base = createReferenceAdapter(origin)
const albumOf = (index: number) => ({ id: `a${index}`, name: `Album ${index}`, coverUrl: `${origin()}/covers/${index}.jpg` })
const one = async () => base.getTrackDetail('t1')
const trackOf = async (index: number) =>
  ({ ...await one(), id: `n${index}`, title: `Number ${index}`, album: albumOf(index % 500) })
const tracksFrom = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => trackOf(index)))
let albums = 500
await app.register(sourceOrigin, {
  resolveContext: () => ({
    stateless: false,
    adapter: {
      ...base,
      library: createLibrary({
        artists: [], albums: Array.from({ length: albums }, (_, at) => albumOf(at)), tracks: []
      }),
      getNewTracks: () => tracksFrom(20),
      getDailyTracks: () => tracksFrom(30),
      getPlaylistDetail: async (id, limit) => {
        const tracks = await tracksFrom(5000)
        const playlist = await base.getPlaylistDetail('p0', 1)
        return { ...playlist, id, trackCount: 5000, tracks: tracks.slice(0, limit < 0 ? 1000 : limit) }
      }
    }
  })
})
await app.register(sourcePage)
app.get<{ Params: { index: string } }>('/covers/:index.jpg', ({ params }, reply) =>
  reply.type('image/jpeg').send(covers[Number(params.index) % covers.length]))
await app.listen({ host: '127.0.0.1', port: 0 })

// Without a graphics card, drawing by the processor is faster than an emulated card.
const browser = await chromium.launch({
  executablePath: locate('Chromium'), chromiumSandbox: false, args: ['--disable-gpu']
})

/** One round: bytes, bytes, elements, milliseconds. */
async function measure (): Promise<number[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  let bytes = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength })
  const quiet = () => page.waitForLoadState('networkidle')
  const go = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`)

  await page.goto(`${origin()}/#token=x`)
  await page.locator('main .card').first().waitFor()
  await quiet()
  const home = bytes

  /** Scrolls a grid to its end, by a window at a time. */
  async function scroll (): Promise<void> {
    await page.locator('main .card').first().waitFor()
    for (;;) {
      const isAtEnd = await page.evaluate(`(() => {
        const main = document.getElementById('main')
        main.scrollTop += 700
        return main.scrollTop + main.clientHeight >= main.scrollHeight - 1 && !document.querySelector('.end-of-list')
      })()`)
      await page.waitForTimeout(60)
      if (isAtEnd) return quiet()
    }
  }
  bytes = 0
  albums = 500
  await go('/albums')
  await scroll()
  const scrolled = bytes

  albums = 5000
  await go('/albums?order=desc')
  await scroll()
  const last = page.locator('main .card').last()
  if (await last.getAttribute('aria-posinset') !== String(albums)) throw new Error('The end of the albums never came')
  const elements = await page.evaluate('document.querySelectorAll("*").length') as number

  await go('/playlist/p0')
  await page.locator('.row').first().waitFor()
  await page.evaluate(`
    globalThis.longest = 0
    new PerformanceObserver(list => {
      for (const { duration, interactionId } of list.getEntries()) if (interactionId) longest = Math.max(longest, duration)
    }).observe({ type: 'event', durationThreshold: 16 })`)
  for (let at = 0; at < 8; at++) {
    await page.evaluate(`document.getElementById('main').scrollTop = ${at * 25_000}`)
    await page.waitForTimeout(200)
    await page.locator('.row .title').nth(15).click()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home']) await page.keyboard.press(key)
  }
  await page.locator('.hero .button', { hasText: 'Shuffle' }).click()
  await page.waitForTimeout(1000)
  const longest = await page.evaluate('longest') as number
  await context.close()
  return [home, scrolled, elements, longest]
}

const rounds: number[][] = []
for (let round = 0; round < Number(values.rounds); round++) rounds.push(await measure())
const median = (at: number) => rounds.map(round => round[at]!).sort((a, b) => a - b)[Math.floor(rounds.length / 2)]!
console.log(`| The page in Chromium ${browser.version()} | Measured | Goal |
|---|---|---|
| Home, with all that the page is made of | ${Math.round(median(0) / 1000)} kB | 300 kB |
| 500 albums, scrolled to their end | ${(median(1) / 1e6).toFixed(1)} MB | 6 MB |
| elements of the document at the end of 5,000 albums | ${median(2)} | 1000 |
| longest interaction with a playlist of 5,000 tracks | ${median(3)} ms | 200 ms |`)
await browser.close()
await app.close()
