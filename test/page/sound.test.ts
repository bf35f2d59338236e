import fastify, { type FastifyInstance } from 'fastify'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { extras, type PlayEvent } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { readDocument } from '../doc-blocks.ts'
import { keepElements, playerOf, type Served, silenceSeconds, silenceUrl, type Visit, visit } from './helper.ts'

const browser = await launch(t)

const rate = 44_100
/** Seconds that each track lasts: the pieces of one tone, cut where it is loud. */
const seconds = 3
/** Hertz of the tone: each piece has whole periods, so that any two of them are one tone. */
const tone = 443

/** A piece of a tone as WAV, 16 bit, mono. */
function piece (index: number, length = seconds): Buffer {
  const frames = length * rate
  const file = Buffer.alloc(44 + frames * 2)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + frames * 2, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(frames * 2, 40)
  for (let at = 0; at < frames; at++) {
    const time = (index * frames + at) / rate
    file.writeInt16LE(Math.round(Math.cos(2 * Math.PI * tone * time) * 16_000), 44 + at * 2)
  }
  return file
}

const recorder = `registerProcessor('recorder', class extends AudioWorkletProcessor {
  process ([[left]]) {
    if (left) this.port.postMessage(left)
    return true
  }
})`

/** Every track is the piece of its number. */
const pieces = {
  before: async (app: FastifyInstance) => {
    app.get('/recorder.js', (_request, reply) => reply.type('text/javascript').send(recorder))
    app.get<{ Params: { number: string } }>('/piece/:number', (request, reply) =>
      reply.type('audio/wav').send(piece(Number(request.params.number))))
  },
  adapter: (_base: unknown, served: () => Served) => ({
    getTrackUrl: async (id: string) => ({ url: `${served().origin}/piece/${id.slice(1)}`, quality: 'high' })
  })
}

/** The tracks of these ids are pieces; the others last ten minutes, so that none ends while a test looks at it. */
const longBut = (...short: readonly string[]) => ({
  ...pieces,
  adapter: (_base: unknown, served: () => Served) => ({
    getTrackUrl: async (id: string) => ({
      url: short.includes(id) ? `${served().origin}/piece/${id.slice(1)}` : silenceUrl(served(), 1), quality: 'high'
    })
  })
})

declare global {
  /** What the chain of the page plays, in blocks. */
  var recorded: readonly Float32Array[]
}

/** Records what comes out of the audio chain of the page, in the page, from now on. */
async function record (page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.recorded = []
    const { connect } = AudioNode.prototype
    const { addModule } = AudioWorklet.prototype
    AudioWorklet.prototype.addModule = function (url) {
      return addModule.call(this, 'recorder.js').then(() => addModule.call(this, url))
    }
    AudioNode.prototype.connect = function (to, ...rest) {
      if (to instanceof AudioDestinationNode) {
        globalThis.recordedRate = to.context.sampleRate
        const recorder = new AudioWorkletNode(to.context, 'recorder')
        recorder.port.onmessage = ({ data }) => recorded.push(data)
        connect.call(this, recorder)
      }
      return connect.call(this, to, ...rest)
    }
  `)
  await keepElements(page)
}

/**
 * What was recorded from its first sound to its last: seconds of it, of the longest silence in it and of those that are
 * louder than one piece; frames by which the tone of the second half comes later than that of the first would go on.
 */
const listen = (page: Page) => page.evaluate<{ sound: number, silence: number, loud: number, late: number }>(`(() => {
  const all = recorded.flatMap(block => [...block])
  const isHeard = sample => Math.abs(sample) > 0.02
  const first = all.findIndex(isHeard)
  const last = all.findLastIndex(isHeard)
  let [silence, now] = [0, 0]
  for (const sample of all.slice(first, last)) {
    now = isHeard(sample) ? 0 : now + 1
    silence = Math.max(silence, now)
  }
  const turn = 2 * Math.PI * ${tone} / recordedRate
  const phase = from => {
    let [real, imaginary] = [0, 0]
    for (let at = Math.round(from); at < from + recordedRate; at++) {
      real += all[at] * Math.cos(turn * at)
      imaginary -= all[at] * Math.sin(turn * at)
    }
    return Math.atan2(imaginary, real)
  }
  const turned = phase(first + recordedRate) - phase(last - 2 * recordedRate)
  return {
    sound: (last - first) / recordedRate,
    silence: silence / recordedRate,
    loud: all.filter(sample => Math.abs(sample) > 0.51).length / recordedRate,
    late: Math.atan2(Math.sin(turned), Math.cos(turned)) / turn
  }
})()`)

/** Plays the last tracks of a list to their end. */
async function playLast (tracks: number, { page, go }: Visit): Promise<void> {
  await go('/daily')
  await page.evaluate('recorded.length = 0')
  const rows = page.getByRole('button', { name: /^Play .* Song \d+$/ })
  await rows.first().waitFor()
  const count = await rows.count()
  await rows.nth(count - tracks).click()
  await playerOf(page).pause.waitFor()
  await playerOf(page).play.waitFor()
  // What is played is heard a moment later.
  await page.waitForFunction(() => recorded.slice(-100).every(block => block.every(sample => sample === 0)))
}

/**
 * Plays the last tracks of a list, again where a busy machine interrupted the sound: a fault of the page is heard each
 * time.
 *
 * @param tolerance seconds by which the sound may be longer or shorter
 */
async function playJoined (t: Test, tracks: number, visited: Visit, tolerance: number): Promise<void> {
  await record(visited.page)
  for (let turn = 1; ; turn++) {
    await playLast(tracks, visited)
    const { sound, silence, loud, late } = await listen(visited.page)
    const heard = [
      { holds: Math.abs(late) < 0.5, message: `${late} frames late` },
      { holds: silence < 0.0025, message: `${silence * 1000} ms of silence` },
      { holds: loud < 0.005, message: `${loud * 1000} ms of two at once` },
      { holds: Math.abs(sound - tracks * seconds) < tolerance, message: `${sound} s` }
    ]
    if (turn < 4 && !heard.every(({ holds }) => holds)) continue
    for (const { holds, message } of heard) t.ok(holds, message)
    return
  }
}

t.test('two tracks of one recording follow without a gap', t => visit(t, browser, pieces, visited =>
  playJoined(t, 2, visited, 0.02)))

t.test('each of ten tracks of one recording follows without a gap, and is not heard before its turn', t => {
  const joined = 10
  return visit(t, browser, {
    ...pieces,
    adapter: (base, served) => ({
      ...pieces.adapter(base, served),
      getDailyTracks: async () => {
        const one = await base.getTrackDetail('t1')
        return Array.from({ length: joined }, (_, at) => ({ ...one, id: `t${at}`, title: `Joined Song ${at}` }))
      }
    })
  }, visited => playJoined(t, joined, visited, 0.005))
})

const plays = (page: Page, crossOrigin: string | null) => page.waitForFunction(
  crossOrigin => elements.some(element =>
    !element.paused && element.currentTime > 0.3 && element.crossOrigin === crossOrigin),
  crossOrigin
)
/** What is heard now plays by itself. */
const isAlone = (page: Page) => plays(page, null)
/** It plays through an audio chain. */
const isChained = (page: Page) => plays(page, 'anonymous')

/** What a browser does not have or does not allow. */
const without = {
  'has no AudioContext': 'delete globalThis.AudioContext',
  'has no AudioWorklet': 'delete BaseAudioContext.prototype.audioWorklet',
  'does not load the module': 'AudioWorklet.prototype.addModule = () => Promise.reject(new Error("refused"))',
  'never lets the context run': 'AudioContext.prototype.resume = () => new Promise(() => {})',
  'refuses to let the context run': 'AudioContext.prototype.resume = () => Promise.reject(new Error("refused"))'
}
for (const [name, script] of Object.entries(without)) {
  t.test(`a browser that ${name} plays without an audio chain, and goes on to the next track`, t =>
    visit(t, browser, longBut('t4'), async ({ page, go }) => {
      await page.addInitScript(script)
      await keepElements(page)
      await go('/daily')
      await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
      await isAlone(page)
      await playerOf(page).titled('Noon Song 5').waitFor()
      await isAlone(page)
    }))
}

t.test('sound that takes long to wake is heard without an audio chain, and a later track has one', t =>
  visit(t, browser, longBut(), async ({ page, go }) => {
    await page.addInitScript(`
      const { resume } = AudioContext.prototype
      const woken = new Promise(resolve => { globalThis.wake = resolve })
      AudioContext.prototype.resume = async function () {
        await woken
        return resume.call(this)
      }
    `)
    await keepElements(page)
    await go('/daily')
    await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
    await isAlone(page)
    await page.evaluate('wake()')
    await playerOf(page).next.click()
    await isChained(page)
  }))

/** What makes a chain fail that runs. */
const failing = {
  'whose context is suspended': 'contexts.at(-1).suspend()',
  'whose context is closed': 'contexts.at(-1).close()',
  'whose processor throws': 'joiners.at(-1).dispatchEvent(new Event("processorerror"))'
}
for (const [name, script] of Object.entries(failing)) {
  t.test(`an audio chain ${name} is left, and the track goes on where it was`, t =>
    visit(t, browser, longBut(), async ({ page, go }) => {
      await page.addInitScript(`
        globalThis.contexts = []
        globalThis.joiners = []
        globalThis.AudioContext = class extends AudioContext { constructor () { super(); contexts.push(this) } }
        globalThis.AudioWorkletNode =
          class extends AudioWorkletNode { constructor (...all) { super(...all); joiners.push(this) } }
      `)
      await keepElements(page)
      await go('/daily')
      await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
      await isChained(page)
      await page.evaluate(script)
      await isAlone(page)
      t.equal(await page.evaluate('elements.filter(element => !element.paused).length'), 1)
      t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
    }))
}

/** Audio that does not end while a test looks at it. */
const long = piece(0, 60)

/** Audio of another origin: with what header it comes. */
async function serveElsewhere (t: Test, headers: Readonly<Record<string, string>>): Promise<string> {
  const app = fastify()
  t.teardown(() => app.close())
  app.get('/:number', (_request, reply) =>
    reply.headers(headers).type('audio/wav').send(long))
  return app.listen({ host: '127.0.0.1', port: 0 })
}

const foreign = [
  ['that allows the page', { 'access-control-allow-origin': '*' }, false, isChained],
  ['that does not allow the page', {}, false, isAlone],
  ['that allows the page, after a redirect', { 'access-control-allow-origin': '*' }, true, isChained],
  ['that does not allow the page, after a redirect', {}, true, isAlone]
] as const
for (const [name, headers, isRedirect, isHeard] of foreign) {
  t.test(`audio of another origin ${name}, is heard`, async t => {
    const origin = await serveElsewhere(t, headers)
    await visit(t, browser, {
      before: async app => app.get<{ Params: { number: string } }>('/there/:number', (request, reply) =>
        reply.redirect(`${origin}/${request.params.number}`)),
      adapter: (_base, served) => ({
        getTrackUrl: async id => ({
          url: isRedirect ? `${served().origin}/there/${id.slice(1)}` : `${origin}/${id.slice(1)}`, quality: 'high'
        })
      })
    }, async ({ page, go }) => {
      await keepElements(page)
      await go('/daily')
      await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
      await isHeard(page)
      t.equal(await playerOf(page).title.textContent(), 'Morning Song 4')
      t.equal(await page.locator('.notice').count(), 0)
    })
  })
}

t.test('audio that no browser can decode is skipped, and the next track is in an audio chain', t =>
  visit(t, browser, {
    ...pieces,
    adapter: (_base, served) => ({
      getTrackUrl: async id =>
        ({ url: id === 't4' ? `${served().origin}/recorder.js` : silenceUrl(served(), 1), quality: 'high' })
    })
  }, async ({ page, go, sees }) => {
    await keepElements(page)
    await go('/daily')
    await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
    await sees(/“Morning Song 4” cannot be played/)
    await isChained(page)
    t.equal(await playerOf(page).title.textContent(), 'Noon Song 5')
  }))

for (const [name, script] of [['pauses', 'Pause'], ['seeks back', undefined]] as const) {
  t.test(`who ${name} while the next track waits for the end of this one does not hear it`, t =>
    visit(t, browser, pieces, async ({ page, go }) => {
      await record(page)
      await go('/daily')
      await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
      // At the moment at which the next one begins to play.
      await page.evaluate(isPause => new Promise<void>(resolve => {
        const { play } = HTMLMediaElement.prototype
        HTMLMediaElement.prototype.play = async function () {
          HTMLMediaElement.prototype.play = play
          await play.call(this)
          if (isPause) document.querySelector<HTMLElement>('.play-main')!.click()
          else elements.find(element => element !== this)!.currentTime = 1
          resolve()
        }
      }), script === 'Pause')
      // Looked at in one turn: this track ends soon.
      const heard = await page.waitForFunction(() => (elements.every(({ paused, ended }) => paused && !ended) ||
        elements.some(({ currentTime }) => currentTime > 1.5 && currentTime < 2.5)) && {
        title: document.querySelector('.player-title')!.textContent,
        count: elements.filter(({ paused }) => !paused).length
      })
      t.strictSame(await heard.jsonValue(), { title: 'Morning Song 4', count: script === 'Pause' ? 0 : 1 })
    }))
}

/** Chooses settings of the sound by their labels. */
async function choose (page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  await page.locator('.player').getByRole('button', { name: /^Sound/ }).click()
  for (const [label, value] of Object.entries(values)) {
    const name = { name: label, exact: true }
    const control = page.getByRole('dialog').getByRole(/^\d+$/.test(value) ? 'slider' : 'combobox', name)
    await (/^\d+$/.test(value) ? control.fill(value) : control.selectOption({ label: value }))
  }
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
}

t.test('settings of the sound have the ranges and defaults that the guide says', t =>
  visit(t, browser, pieces, async ({ page }) => {
    const rows = [...(await readDocument('docs/guide/web-player.md')).matchAll(/^\| ([\w ]+) \| (-?\d+) to (\d+) (.*?) \|/gm)]
    const guide = Object.fromEntries(rows.map(([, name, least, most, rest]) => [name, { least, most, rest }]))
    await page.locator('.player').getByRole('button', { name: /^Sound/ }).click()
    const of = (role: 'slider' | 'combobox', name: string) => page.getByRole('dialog').getByRole(role, { name })
    t.equal(await of('combobox', 'ReplayGain').inputValue(), 'off')
    await of('combobox', 'ReplayGain').selectOption({ label: 'By track' })
    for (const name of ['Crossfade', 'Preamp']) {
      const [min, max] = await Promise.all(['min', 'max'].map(edge => of('slider', name).getAttribute(edge)))
      t.match(guide[name], { least: min, most: max }, name)
    }
    t.match(guide.Crossfade!.rest, `default ${await of('slider', 'Crossfade').inputValue()}`)
    const minutes = (await of('combobox', 'Sleep timer').innerText()).match(/\d+/g)!
    t.match(guide['Sleep timer'], { least: minutes[0], most: minutes.at(-1) })
  }))

t.test('one track fades into the next, and each is heard to its own end', t => {
  const events: PlayEvent[] = []
  return visit(t, browser, {
    ...pieces,
    adapter: (base, served) => ({ ...pieces.adapter(base, served), onPlay: event => { events.push(event) } }),
    context: { account: 'ann' }
  }, async visited => {
    const { page } = visited
    await record(page)
    await choose(page, { Crossfade: '12' })
    await page.reload()
    await playLast(2, visited)
    const { sound } = await listen(page)
    t.ok(sound > 1.4 * seconds && sound < 1.8 * seconds, `${sound} s: half a track at the same time`)
    const isEnd = ({ state, position }: PlayEvent) => state === 'stopped' && position! > 2900
    const tracks = [...new Set(events.map(({ track }) => track))]
    t.strictSame(events.filter(isEnd).map(({ track }) => track), tracks)
    t.strictSame(events.filter(({ counted }) => counted).map(({ track }) => track), tracks)
    t.equal(await page.evaluate('Math.min(...elements.map(({ volume }) => volume))'), 1)
  })
})

t.test('a pause while one track fades into the next pauses both, and one of them goes on', t =>
  visit(t, browser, pieces, async ({ page, go }) => {
    await keepElements(page)
    await choose(page, { Crossfade: '12' })
    await go('/daily')
    await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
    // In one turn: the next track fades into another one soon.
    const title = await page.waitForFunction(() => {
      if (elements.some(({ paused }) => paused)) return false
      document.querySelector<HTMLElement>('.play-main')!.click()
      return document.querySelector('.player-title')!.textContent
    })
    t.equal(await title.jsonValue(), 'Noon Song 5')
    t.equal(await page.evaluate('elements.filter(({ paused }) => !paused).length'), 0)
    await playerOf(page).play.click()
    await page.waitForFunction(() => elements.some(({ paused }) => !paused))
    const all = await page.evaluate('elements.map(({ paused, volume }) => [paused, volume]).sort()')
    t.strictSame(all, [[false, 1], [true, 1]])
  }))

t.test('the sleep timer lets the track end, and the next one waits', t =>
  visit(t, browser, longBut('t5', 't6', 't7', 't8'), async ({ page, go }) => {
    await go('/daily')
    await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
    await choose(page, { 'Sleep timer': 'At the end of this track' })
    await playerOf(page).button('Sound (Sleep timer)').waitFor()
    await playerOf(page).position.fill(String(silenceSeconds - 1))
    await playerOf(page).titled('Noon Song 5').waitFor()
    await playerOf(page).play.waitFor()
    await playerOf(page).button('Sound').waitFor()
    await playerOf(page).play.click()
    await playerOf(page).titled('Night Song 7').waitFor()
  }))

t.test('the sleep timer pauses after minutes, unless it was turned off or the page loaded again', t =>
  visit(t, browser, pieces, async ({ page, go }) => {
    await page.clock.install()
    await page.reload()
    const isPaused = () => playerOf(page).play.isVisible()
    const start = async () => {
      await go('/daily')
      await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
      await playerOf(page).button('Repeat: off').click()
      await playerOf(page).pause.waitFor()
    }
    await start()
    await choose(page, { 'Sleep timer': 'In 15 minutes' })
    await choose(page, { 'Sleep timer': 'Off' })
    await page.clock.fastForward('16:00')
    t.notOk(await isPaused())
    await choose(page, { 'Sleep timer': 'In 15 minutes' })
    await page.clock.fastForward('14:00')
    t.notOk(await isPaused())
    await page.clock.fastForward('02:00')
    await playerOf(page).play.waitFor()
    await choose(page, { 'Sleep timer': 'In 15 minutes' })
    await page.reload()
    await playerOf(page).button('Sound').waitFor()
  }))

/** Settings, what the source tells of the track, and how loud the tone is then, that is 0.488 by itself. */
const gains = [
  ['off', {}, { trackGain: -6.02 }, 1],
  ['track', { ReplayGain: 'By track' }, { trackGain: -6.02, albumGain: -12.04 }, 0.5],
  ['album', { ReplayGain: 'By album' }, { trackGain: -6.02, albumGain: -12.04 }, 0.25],
  ['album, which is not told', { ReplayGain: 'By album' }, { trackGain: -6.02 }, 0.5],
  ['track with preamp', { ReplayGain: 'By track', Preamp: '6' }, { trackGain: -12.04 }, 0.5],
  ['track, louder', { ReplayGain: 'By track' }, { trackGain: 3.52, trackPeak: 0.5 }, 1.5],
  ['track, as loud as the peak lets it be', { ReplayGain: 'By track' }, { trackGain: 20, trackPeak: 0.5 }, 2],
  ['track, without a peak', { ReplayGain: 'By track' }, { trackGain: 20 }, 1],
  ['track, which is not told', { ReplayGain: 'By track', Preamp: '6' }, {}, 1]
] as const
for (const [name, settings, replayGain, times] of gains) {
  for (const isAlone of times > 1 ? [false, true] : [false]) {
    t.test(`ReplayGain ${name}${isAlone ? ', without an audio chain' : ''}`, t => visit(t, browser, {
      ...pieces,
      adapter: (base, served) => ({
        ...pieces.adapter(base, served),
        getTrackDetail: async id => ({ ...await base.getTrackDetail(id), [extras]: { replayGain } })
      })
    }, async ({ page, go }) => {
      await record(page)
      if (isAlone) {
        await page.addInitScript('delete globalThis.AudioContext')
        await page.reload()
      }
      await choose(page, settings)
      await go('/daily')
      await page.getByRole('button', { name: 'Play Morning Song 4', exact: true }).click()
      const expected = isAlone ? Math.min(1, times) : times * 0.488
      await page.waitForFunction(([expected, isAlone]) => {
        const playing = elements.find(({ paused, currentTime }) => !paused && currentTime > 0.3)
        const loudest = Math.max(...recorded.slice(-20).map(block => Math.max(...block)))
        return playing !== undefined && Math.abs((isAlone ? playing.volume : loudest) - expected) < 0.01
      }, [expected, isAlone] as const)
      t.pass()
    }))
  }
}
