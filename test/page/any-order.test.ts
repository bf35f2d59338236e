import fc from 'fast-check'
import t from 'tap'
import { UnplayableError } from 'fastify-source-origin'
import { launch } from '../browser.ts'
import { keepElements, silenceSeconds, silenceUrl, visit } from './helper.ts'

// Presses what can be pressed in any order, while the source answers when it likes. The seed repeats what is pressed;
// how fast the audio loads is left to the machine.

const seed = Number(process.env.ANY_ORDER_SEED ?? 4)
const count = Number(process.env.ANY_ORDER_STEPS ?? 200)

/** What a step does in the page; `n` says to which of several. Nothing happens where there is no such thing now. */
const presses: Record<string, string> = {
  'play a row': "nth('.row .title')?.click()",
  'play or pause': "nth('.player-center .play-main')?.click()",
  next: "named('Next')?.click()",
  previous: "named('Previous')?.click()",
  shuffle: "named('Shuffle')?.click()",
  repeat: "nth('.player-center .transport button:last-child')?.click()",
  seek: `
    const field = nth('.player .seek input')
    field.value = [0, 3, 300, 590, 599.9, 600][n % 6]
    field.dispatchEvent(new Event('input', { bubbles: true }))
  `,
  quality: `
    const field = nth('.player .quality select')
    if (field) { field.selectedIndex = n % field.options.length; field.dispatchEvent(new Event('change', { bubbles: true })) }
  `,
  'the other view': "location.hash = location.hash === '#/queue' ? '#/daily' : '#/queue'",
  'move or take out': "nth('.view-queue .row-controls button:not(:disabled)')?.click()",
  clear: "Array.from(document.querySelectorAll('.view-queue .button'))" +
    ".find(({ textContent }) => textContent === 'Clear')?.click()",
  undo: "nth('.notice .button')?.click()",
  'play next': `
    const more = nth('.view-daily .row-controls [aria-label^="More"]')
    if (more) { more.click(); await frame(); document.querySelectorAll('.menu button')[n % 2]?.click() }
  `,
  'pull out the headphones': 'elements.find(audio => !audio.paused)?.pause()'
}
/** More often than others, so that some of it is heard. */
const often = [
  'answer', 'answer the last', 'answer the last', 'answer the last', 'refuse the last', 'settle', 'settle', 'settle',
  'play a row', 'play a row', 'play or pause', 'play or pause', 'next', 'move or take out', 'move or take out'
]

/** What is wrong with what the page shows and plays now; each says what it saw. */
const look = `
  const wrong = []
  const check = (isRight, what) => { if (!isRight) wrong.push(what) }
  const title = document.querySelector('.player-title')?.textContent
  const rows = [...document.querySelectorAll('.row')].map(row => ({
    title: row.querySelector('.title').textContent, isCurrent: row.ariaCurrent === 'true' && row.classList.contains('current')
  }))
  const marked = rows.filter(({ isCurrent }) => isCurrent).map(({ title }) => title)
  const expected = rows.some(row => row.title === title) ? [title] : []
  check(String(marked) === String(expected), 'marked are ' + marked + ', the player has ' + title)
  if (document.querySelector('.view-queue')) check(rows.length === 0 || marked.length === 1, 'nothing is marked in the queue')
  const idOf = ({ src }) => src && new URL(src).searchParams.get('id')
  const heard = elements.filter(audio => !audio.paused).map(idOf)
  check(heard.length <= 1, 'heard are ' + heard)
  check(heard.every(id => title?.endsWith(' ' + id.slice(1))), 'heard is ' + heard + ', the player has ' + title)
  const isGiven = document.querySelector('.player .given')?.textContent
  check(!isGiven || elements.some(audio => title.endsWith(' ' + idOf(audio).slice(1))), 'no element has ' + title)
  const button = document.querySelector('.player-center .play-main')
  check(button.ariaLabel === 'Pause' || heard.length === 0, 'heard is ' + heard + ', but the button does not pause')
  const at = Number(document.querySelector('.player .seek input').value)
  check(at >= 0 && at <= ${silenceSeconds}, 'the position is ' + at)
`

const script = (body: string, n = 0) => `(async () => {
  const n = ${n}
  const nth = selector => { const found = document.querySelectorAll(selector); return found[n % found.length] }
  const named = name => document.querySelector('.player-center [aria-label="' + name + '"]')
  const frame = () => new Promise(requestAnimationFrame)
  ${body}
})()`

const browser = await launch(t)

t.test(`whatever is pressed in whatever order, the page shows what is heard: ANY_ORDER_SEED=${seed} ANY_ORDER_STEPS=${count}`, t => {
  const waiting: ((error?: Error) => void)[] = []
  let isLate = true
  return visit(t, browser, {
    adapter: (base, served) => ({
      getDailyTracks: async () =>
        (await base.getDailyTracks()).map(track => ({ ...track, durationMs: silenceSeconds * 1000 })),
      getTrackUrl: async (id, quality) => {
        if (isLate) {
          await new Promise<void>((resolve, reject) =>
            waiting.push(error => error ? reject(error) : resolve()))
        }
        return { ...await base.getTrackUrl(id, quality), url: `${silenceUrl(served(), 1)}&id=${id}` }
      }
    })
  }, async ({ page, open }) => {
    // What is shuffled must be the same again.
    await page.addInitScript('let last = 1; Math.random = () => (last = last * 16807 % 2147483647) / 2147483647')
    await keepElements(page)
    await open('/daily')
    /** When nothing is waited for any more, what the button says is so. */
    const settle = async () => {
      isLate = false
      for (const answer of waiting.splice(0)) answer()
      await page.waitForFunction(script(`
        ${look}
        return wrong.length === 0 && (button.ariaLabel === 'Pause' ? heard.length === 1 && !button.matches('.busy') : heard.length === 0)
      `))
      isLate = true
    }
    const step = fc.record({ what: fc.constantFrom(...Object.keys(presses), ...often), n: fc.nat(59) })
    const done: string[] = []
    for (const { what, n } of fc.sample(step, { seed, numRuns: count })) {
      done.push(`${what} ${n}`)
      if (what === 'answer') waiting.splice(n % (waiting.length || 1), 1)[0]?.()
      if (what === 'answer the last') waiting.pop()?.()
      if (what === 'refuse the last') waiting.pop()?.(new UnplayableError('not this one'))
      if (what === 'settle') await settle()
      const wrong = await page.evaluate(script(`${presses[what] ?? ''}; await frame(); ${look}; return wrong`, n))
      if (!t.strictSame(wrong, [], `step ${done.length}: ${what}`)) return t.comment(done.slice(-20).join(', '))
    }
    await settle()
  })
})
