import fastify, { type FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import sourceOrigin, {
  tokenMatches, type ContextRequest, type SourceAdapter, type SourceContext, type SourceLibrary
} from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import sourcePage, { type Household, type SourcePageOptions } from 'fastify-source-origin/page'
import type { Test } from 'tap'
import {
  createReferenceAdapter, playlistSortOptions, qualityMap, token, type WholeAdapter
} from '../reference-source.ts'

export { token, qualityMap }

const demo = 'example/music'
/** What the tracks of the test source sound like: real files, from ten to nineteen seconds long. */
const files = [
  ['Nils Öhlin/Nachtorgel/1-01 Ode an die Freude.opus', 'audio/ogg'],
  ['Ada Plume/Plucked at Dawn/01 Prelude in C.mp3', 'audio/mpeg'],
  ['Various Artists/Songs from Everywhere/02 茉莉花.m4a', 'audio/mp4'],
  ['Ada Plume/Plucked at Dawn/01 Prelude in C.flac', 'audio/flac']
] as const

/** A picture of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64'
)

export interface Served {
  readonly app: FastifyInstance
  readonly origin: string
  readonly adapter: WholeAdapter
  /** Makes every audio URL that was given until now answer 403. */
  readonly expire: () => void
}

interface SourceSettings {
  /** Methods instead of those of the reference source. */
  readonly adapter?: (base: WholeAdapter, served: () => Served) => Partial<SourceAdapter>
  /** What the context has besides; a function also lets another token in, for which it gives something. */
  readonly context?: Partial<SourceContext> | ((request: ContextRequest) => Partial<SourceContext>)
  /** All the music of the source. Default: it does not list that. */
  readonly library?: SourceLibrary
  /** Options of the page. */
  readonly page?: SourcePageOptions
  readonly prefix?: string
  /** Registers something before the source. */
  readonly before?: (app: FastifyInstance) => Promise<unknown>
  /** Registers something beside it. */
  readonly beside?: (app: FastifyInstance) => Promise<unknown>
}

/** A source with real audio and the page, on a socket. */
async function serve (
  t: Test,
  { adapter: over = () => ({}), context = {}, library, page = {}, prefix = '', before, beside }: SourceSettings = {}
): Promise<Served> {
  const app = fastify()
  t.teardown(() => app.close())
  let key = 1
  const origin = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const reference = createReferenceAdapter(origin)
  const base: WholeAdapter = {
    ...reference,
    getTrackUrl: async (id, quality) =>
      ({ ...await reference.getTrackUrl(id, quality), url: `${origin()}/sound/${id}?key=${key}` })
  }
  const served = { app, get origin () { return origin() }, adapter: base, expire: () => { key++ } }
  const adapter = { ...base, ...library && { library }, ...over(base, () => served) }

  await before?.(app)
  await app.register(sourceOrigin, {
    prefix,
    resolveContext: request => {
      const over = typeof context === 'function' ? context(request) : context
      const isKnown = tokenMatches(request.authorization, token) ||
        (typeof context === 'function' && over.adapter !== undefined)
      return isKnown ? { adapter, stateless: false, qualityMap, playlistSortOptions, ...over } : null
    }
  })
  await beside?.(app)
  await app.register(sourcePage, { title: 'Test source', ...page, prefix })
  app.get('/covers/:name', (_request, reply) => reply.type('image/png').send(picture))
  app.get<{ Params: { id: string }, Querystring: { key: string } }>('/sound/:id', async (request, reply) => {
    if (Number(request.query.key) !== key) return reply.code(403).send('expired')
    const [file, type] = files[Number(/\d+$/.exec(request.params.id)?.[0] ?? 0) % files.length]!
    return sendRange(request.headers.range, reply.type(type), await readFile(`${demo}/${file}`))
  })
  app.get<{ Querystring: { key: string } }>('/silence.wav', async (request, reply) => Number(request.query.key) === key
    ? sendRange(request.headers.range, reply.type('audio/wav'), silence)
    : reply.code(403).send('expired'))
  await app.listen({ host: '127.0.0.1', port: 0 })
  return served
}

/** A source that pages of other origins may ask, too. */
export const elsewhere = (t: Test, settings: SourceSettings = {}): Promise<Served> => serve(t, {
  ...settings,
  before: async app => app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, content-type' })
    if (request.method === 'OPTIONS') return reply.code(204).send()
  })
})

/** Bytes that are answered at once, so that a browser has to ask again for what it does not have. */
const part = 1_000_000

/** Sends a part of a file. */
export function sendRange (
  range: string | undefined,
  reply: { code: (status: number) => any, header: (name: string, value: string) => any },
  body: Buffer
) {
  const [, from = '0', to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  const start = Number(from)
  const end = Math.min(to ? Number(to) : body.length - 1, start + part - 1, body.length - 1)
  reply.code(206).header('accept-ranges', 'bytes')
  return reply.header('content-range', `bytes ${start}-${end}/${body.length}`).send(body.subarray(start, end + 1))
}

/** Ten minutes: more than a browser loads ahead. 16 bit, mono, 22050 Hz. */
export const silenceSeconds = 600
const silence = (() => {
  const length = silenceSeconds * 44100
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(22050, 24)
  head.writeUInt32LE(44100, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(length, 40)
  return Buffer.concat([head, Buffer.alloc(length)])
})()

/** The beginning of the ten minutes, as it is sent. */
export const silencePart = (bytes: number) => ({
  body: silence.subarray(0, bytes),
  headers: {
    'content-type': 'audio/wav',
    'accept-ranges': 'bytes',
    'content-range': `bytes 0-${silence.length - 1}/${silence.length}`,
    'content-length': silence.length
  }
})

const whole = await readFile(`${demo}/Ada Plume/Plucked at Dawn/01 Prelude in C.flac`)
/** Ten seconds, as its head says, that Chromium has done with after a few milliseconds. */
export const brokenAudio = Buffer.concat([whole.subarray(0, 9000), Buffer.alloc(whole.length - 9000, 0xa5)])

/** Three seconds of the ten that its head says, as a download that broke off. */
export const cutAudio = whole.subarray(0, Math.floor(whole.length * 0.3))

/** URL of the ten minutes. */
export const silenceUrl = ({ origin }: Served, key: number) => `${origin}/silence.wav?key=${key}`

const albums = Array.from({ length: 260 }, (_empty, index) => {
  const letter = String.fromCharCode(65 + Math.floor(index / 10))
  const year = 1990 + index % 20
  return {
    id: `x${index}`,
    name: `${letter} album ${index}`,
    coverUrl: '',
    artistName: `Artist ${index}`,
    publishTime: Date.UTC(year),
    genre: index % 2 === 0 ? 'Jazz' : 'Folk'
  }
})

/** Lists as many albums, ten of each letter, and as many artists. */
function libraryOf (count: number): SourceLibrary {
  const found = albums.slice(0, count)
  const library = createLibrary({
    artists: found.map(({ id, artistName, coverUrl }) => ({ id, name: artistName, coverUrl })),
    albums: found,
    tracks: []
  })
  return {
    ids: (query, call) => library.ids(query, call),
    items: (kind, ids, call) => library.items(kind, ids, call),
    facets: async (kind, call) => ({
      ...await library.facets(kind, call),
      ...kind === 'albums' && { sorts: ['name', 'year', 'plays', 'played'] },
      genres: [{ name: 'Folk', tracks: 1234, albums: 130 }, { name: 'Jazz', tracks: 1, albums: 130 }]
    }),
    revision: library.revision,
    changedAt: library.changedAt
  }
}

export const library = libraryOf(260)
/** For tests that look at all of it. */
export const smallLibrary = libraryOf(20)

/** Widths of a phone and of a desktop, in pixels; what people do is tried in both. */
export const widths = [390, 1440] as const

/** Two accounts, one of them a child's, and a server with something in each of its lists. */
export const household: Household = {
  isManagedBy: () => true,
  list: async () => ({
    accounts: [
      { name: 'owner', isOwner: true, limits: [], tokens: [] },
      {
        name: 'kim',
        isOwner: false,
        limits: [{ setting: 'genres', values: ['Folk'] }, { setting: 'explicit', values: ['off'] }],
        tokens: [
          { id: 'one', name: 'Firefox on Android', createdAt: 0, usedAt: 1, usedBy: 'Mozilla/5.0', isApp: false },
          { id: 'two', name: 'phone', createdAt: 0, isApp: true }
        ]
      }
    ],
    genres: ['Folk', 'A genre with a long name', 'Jazz']
  }),
  add: async name => ({ name, token: 'so_once' }),
  link: async name => ({ name, token: 'so_once' }),
  limit: async () => {},
  revoke: async () => true,
  count: async () => ({ playlists: 1, favorites: 2 }),
  remove: async () => ({ file: '/data/removed/kim.json' }),
  details: async () => ({
    playlists: [{ id: 'p', name: 'A playlist with a long name that goes on' }],
    sharesPlaying: false,
    connections: [
      { service: 'listenbrainz', title: 'ListenBrainz', user: 'kim', problem: 'It refuses the token', takes: 'token' },
      { service: 'lastfm', title: 'Last.fm', takes: 'token' },
      { service: 'subsonic', title: 'music.example.org', takes: 'login' }
    ]
  }),
  run: async operation => ['rotate', 'app-password'].includes(operation)
    ? { secret: 'a secret' }
    : operation === 'export' ? { file: { name: 'kim.json', text: '{}' } } : { message: `${operation} is done` },
  server: async () => ({
    stored: { index: 1, accounts: 2000, covers: 3e6, transcoded: 4e9, removed: 0, other: 5 },
    free: 6e9,
    backups: ['2026-11-30 01-02-03.sqlite'],
    scan: { endedAt: 1_700_000_000_000, tracks: 1, read: 2, gone: 3, failed: true },
    leftOut: ['Left out A folder with a long name/A file with a long name.mp3: it has no audio'],
    errors: { count: 1, last: [{ at: 1_700_000_000_000, text: 'The scan failed: the disk is full' }] }
  })
}

/** Settings of a browser of that width. */
export const wide = (width: number): BrowserContextOptions =>
  ({ viewport: { width, height: 800 }, hasTouch: width < 720 })

interface VisitSettings extends SourceSettings {
  readonly browser: BrowserContextOptions
  /** Fragment of the first address. Default: the token of the source. */
  readonly fragment?: string
}

export interface Visit {
  readonly page: Page
  readonly served: Served
  /** The row of a track. */
  readonly row: (title: string) => ReturnType<Page['locator']>
  /** Waits until a text is anywhere on the page. */
  readonly sees: (text: string | RegExp) => Promise<void>
  /** Goes to a view; its data may still be on the way. */
  readonly go: (fragment: string) => Promise<void>
  /** Goes to a view and waits until nothing of it is on the way. */
  readonly open: (fragment: string) => Promise<void>
}

/**
 * Serves a source and opens its page in a browser of its own, signed in. When the story is over, the page must have
 * thrown nothing and its Content-Security-Policy must have reported nothing.
 */
export async function visit (
  t: Test, browser: Browser, settings: Partial<VisitSettings>, story: (visit: Visit) => Promise<void>
): Promise<void> {
  const served = await serve(t, settings)
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    ...settings.browser
  })
  t.teardown(() => context.close())
  const page = await context.newPage()
  // No test depends on the machine's pace: this ends one that hangs.
  page.setDefaultTimeout(180_000)
  const problems: string[] = []
  page.on('pageerror', error => problems.push(`${error.message} ${error.stack}`))
  page.on('console', message => { if (/security policy/i.test(message.text())) problems.push(message.text()) })
  await page.goto(
    `${served.origin}${settings.prefix ?? ''}/${settings.page?.path?.slice(1) ?? ''}${settings.fragment ?? `#token=${encodeURIComponent(token)}`}`
  )
  const go = async (fragment: string) => {
    await page.evaluate(to => new Promise<void>(resolve => {
      if (location.hash === `#${to}`) return resolve()
      addEventListener('hashchange', () => requestAnimationFrame(() => resolve()), { once: true })
      location.hash = to
    }), fragment)
  }
  const visit: Visit = {
    page,
    served,
    row: title => page.locator('.row', { hasText: title }),
    sees: text => page.getByText(text).first().waitFor(),
    go,
    open: async fragment => {
      await go(fragment)
      await page.waitForFunction(name => {
        const main = document.getElementById('main')
        return main?.querySelector(`.view-${name} h1`) && !main.querySelector('.waiting')
      }, /^\/(\w+)/.exec(fragment)?.[1] ?? 'home')
    }
  }
  try {
    await story(visit)
  } catch (error) {
    t.comment(`${page.url()}\n${await page.locator('body').ariaSnapshot()}`)
    throw error
  } finally {
    t.strictSame(problems, [], 'nothing was thrown, and the policy reported nothing')
  }
}

/** Adds another source by its address, and waits until the page shows it. */
export async function addSource ({ page, go }: Pick<Visit, 'page' | 'go'>, { origin }: Served): Promise<void> {
  await go('/sources')
  await page.getByLabel('Address').fill(origin)
  await page.getByLabel('Name').fill('The other one')
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.locator('.brand', { hasText: 'The other one' }).waitFor()
}

/** Goes to another source that the page knows, by the menu of the account. */
export async function switchSource ({ page }: Pick<Visit, 'page'>, name: string): Promise<void> {
  await page.locator('.avatar').click()
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  await page.locator('.brand', { hasText: name }).waitFor()
}

declare global {
  /** The audio elements of a page, after keepElements. */
  var elements: readonly HTMLAudioElement[]
}

/** Keeps the audio elements of the page in `elements`. */
export async function keepElements (page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.elements = []
    globalThis.Audio = class { constructor () { elements.push(document.createElement('audio')); return elements.at(-1) } }
  `)
  await page.reload()
}

/** Waits until what has changed is shown, and what listens to its sizes and places was called. */
export async function nextFrames (page: Page): Promise<void> {
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

/** Makes what waits for a frame wait from `held = true` until `release()`. */
export async function holdFrames (page: Page): Promise<void> {
  await page.addInitScript(`
    const request = requestAnimationFrame
    const waiting = []
    globalThis.held = false
    globalThis.requestAnimationFrame = run => held ? waiting.push(run) : request(run)
    globalThis.release = () => {
      held = false
      for (const run of waiting.splice(0)) run(performance.now())
    }
  `)
  await page.reload()
}

/** The bar in which a page plays. */
export function playerOf (page: Page) {
  const player = page.locator('.player')
  const button = (name: string) => player.getByRole('button', { name, exact: true })
  const title = page.locator('.player-title')
  return {
    button,
    play: button('Play'),
    pause: button('Pause'),
    next: button('Next'),
    previous: button('Previous'),
    shuffle: button('Shuffle'),
    position: player.getByRole('slider', { name: 'Position' }),
    title,
    /** The title, once it is this one. */
    titled: (text: string) => title.filter({ hasText: text })
  }
}

/** Seconds that the player shows. */
export const position = (page: Page) =>
  page.locator('.player .seek input').evaluate(input => Number((input as HTMLInputElement).value))

/** Waits until the position is at least that many seconds, and not much more. */
export async function playedTo (page: Page, seconds: number, atMost = seconds + 60): Promise<void> {
  await page.waitForFunction(([from, to]) => {
    const { value } = document.querySelector<HTMLInputElement>('.player .seek input')!
    return Number(value) >= from! && Number(value) <= to!
  }, [seconds, atMost] as const)
}
