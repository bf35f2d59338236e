// npm run build && node test/bench/combine.js [--smoke]: a search over 5 sources that take their time: what a
// combination takes besides its slowest source, for the first page and for a deep one. Prints Markdown, passes no
// judgement.

import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { combineSources } from 'fastify-source-origin/combine'

const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } })
const rounds = values.smoke ? 2 : 50
const waits = [5, 10, 15, 20, 25]
const length = 100_000

const track = at => ({
  id: `${at}`,
  title: `Song ${at}`,
  artists: [{ id: 'a', name: 'Somebody' }],
  album: { id: 'b', name: 'Album', coverUrl: 'https://media.example.com/b.jpg' },
  durationMs: 180_000 + at
})

/** How long the slowest source of the last search took in all. */
let waited
const sourceOf = wait => {
  let own = 0
  return {
    begin () { own = 0 },
    async searchTracks (_keyword, offset, limit) {
      const began = performance.now()
      await setTimeout(wait)
      own += performance.now() - began
      waited = Math.max(waited, own)
      const items = Array.from({ length: Math.min(limit, length - offset) }, (_empty, at) => track(offset + at))
      return { items, offset, limit, hasMore: offset + limit < length }
    }
  }
}

const adapters = waits.map(sourceOf)
const combined = options => combineSources(
  adapters.map((adapter, at) => ({ id: `s${at}`, name: `S${at}`, adapter })), options).adapter

async function measure (offset, options) {
  const more = []
  for (let round = 0; round < rounds; round++) {
    waited = 0
    for (const adapter of adapters) adapter.begin()
    const began = performance.now()
    await combined(options).searchTracks('song', offset, 20)
    more.push(performance.now() - began - waited)
  }
  return more.sort((a, b) => a - b)[Math.floor(rounds / 2)].toFixed(1)
}

const rows = [
  ['first page', await measure(0)],
  ['first page, what is the same as one', await measure(0, { duplicates: 'merge' })],
  ['page at 400,000 of 500,000', await measure(400_000)]
]
console.log('A search over 5 sources that take 5 to 25 ms: milliseconds besides the slowest source (median)\n')
console.log(['| | ms |', '|---|---|', ...rows.map(row => `| ${row.join(' | ')} |`)].join('\n'))
