// npm run bench: how fast the answers are, next to what people would use instead. Prints Markdown, passes no judgement.
//
//   --rounds 5      new processes of each server and row, interleaved
//   --seconds 1     how long each is measured, and warmed up before
//   --rows track    only rows whose name matches
//   --smoke         one tiny round of everything: whether it still runs

import { execFile as execFileWithCallback } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { rows } from './answers.js'
import { startServer } from './start-server.js'
import { tool } from './tool.js'

const autocannon = tool('autocannon')

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    rows: { type: 'string', default: '' },
    smoke: { type: 'boolean', default: false }
  }
})
const execFile = promisify(execFileWithCallback)
const rounds = values.smoke ? 1 : Number(values.rounds)
const seconds = values.smoke ? 0.05 : Number(values.seconds)

const kinds = [
  'node:http', 'Fastify, schemas', 'Fastify, no schemas', 'Express 5', 'Express 5, Value.Check', 'production',
  'development'
]
const print = line => process.stdout.write(`${line}\n`)
const sort = numbers => [...numbers].sort((a, b) => a - b)
const median = numbers => { const s = sort(numbers); return (s[(s.length - 1) >> 1] + s[s.length >> 1]) / 2 }

/**
 * One round: requests per second, p99 in ms, CPU per request in µs, RSS in MB. The clock is ours and stops at the last
 * answer: autocannon's goes on until it looks again.
 */
async function load ({ url, path, headers, usage }, wanted, connections) {
  const amount = Math.max(Math.ceil(wanted), connections)
  const before = await usage()
  const started = performance.now()
  const run = autocannon({ url: url + path, headers, connections, amount, sampleInt: 20 })
  let answers = 0
  let elapsed
  run.on('response', () => { if (++answers === amount) elapsed = performance.now() - started })
  const { requests, latency, non2xx, errors } = await run
  const after = await usage()
  if (non2xx + errors > 0 || requests.total !== amount) {
    throw new Error(`${url}${path}: ${non2xx} refused, ${errors} failed, ${requests.total} of ${amount} answered`)
  }
  const cpu = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
  return { rate: amount / elapsed * 1000, p99: latency.p99, cpu: cpu / amount, rss: after.rss / 2 ** 20 }
}

/**
 * Interleaved rounds, so that a noisy neighbour hits every server alike, each in a new process: what V8 makes of the
 * same code differs by several percent from process to process. The rounds before the measured one warm it up, each as
 * long as the pace of the one before lets it be: the first is slow, and V8 needs some ten thousand answers.
 */
async function measure (row, kinds, connections) {
  const measured = Object.fromEntries(kinds.map(kind => [kind, []]))
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) {
      const server = await startServer(kind, row)
      let pace = 300
      for (const length of [1, seconds, seconds]) pace = (await load(server, pace * length, connections)).rate
      measured[kind].push(await load(server, pace * seconds, connections))
      await server.stop()
    }
  }
  return measured
}

/** How often the ratio of two medians is what it is: the quartiles of the ratios round by round. */
function ratio (measured, base, value) {
  if (measured === undefined || base === undefined) return '–'
  const each = sort(measured.map((round, i) => value(round) / value(base[i])))
  const quartile = part => each[Math.round((each.length - 1) * part)].toFixed(2)
  return `${(median(measured.map(value)) / median(base.map(value))).toFixed(2)} (${quartile(0.25)}–${quartile(0.75)})`
}

const table = (head, lines) =>
  print([head, head.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n') + '\n')
const figures = (measured, value, digits) =>
  kinds.map(kind => measured[kind] ? median(measured[kind].map(value)).toFixed(digits) : '–')

const chosen = rows.filter(({ row }) => new RegExp(values.smoke ? 'one track, ascii' : values.rows).test(row))
const results = []
for (const { row, without } of chosen) {
  results.push([row, await measure(row, kinds.filter(kind => !without.includes(kind)), values.smoke ? 2 : 32)])
}

print(
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model}, ${rounds} rounds of ${seconds} s, ${values.smoke ? 2 : 32} connections.\n`
)

print('Requests per second relative to bare `node:http`: ratio of medians (quartiles of the rounds)\n')
table(['', ...kinds], results.map(([row, of]) =>
  [row, ...kinds.map(kind => ratio(of[kind], of['node:http'], ({ rate }) => rate))]))
const lowest = rounds => Math.min(...rounds.map(({ cpu }) => cpu))
const lowestRatio = (base, of) => base && of ? (lowest(base) / lowest(of)).toFixed(2) : '–'
print('CPU of the server per request in µs: lowest round, which neighbours disturbed least (median)\n')
const medians = of => figures(of, ({ cpu }) => cpu, 1)
table(['', ...kinds], results.map(([row, of]) =>
  [row, ...kinds.map((kind, i) => of[kind] ? `${lowest(of[kind]).toFixed(1)} (${medians(of)[i]})` : '–')]))
const others = ['Fastify, schemas', 'node:http', 'Express 5', 'Express 5, Value.Check']
print('Ours in production mode relative to others, and development to production: requests per second\n')
table(['', ...others, 'development / production'], results.map(([row, of]) => [
  row, ...others.map(kind => ratio(of.production, of[kind], ({ rate }) => rate)),
  ratio(of.development, of.production, ({ rate }) => rate)
]))
print('The same by the lowest CPU per request\n')
table(['', ...others, 'development / production'], results.map(([row, of]) => [
  row, ...others.map(kind => lowestRatio(of[kind], of.production)), lowestRatio(of.production, of.development)
]))
print('p99 in ms / RSS in MB, medians\n')
table(['', ...kinds], results.map(([row, of]) => {
  const rss = figures(of, round => round.rss, 0)
  return [row, ...figures(of, ({ p99 }) => p99, 0).map((p99, i) => `${p99} / ${rss[i]}`)]
}))

print('One long-lived process that serves all rows in turn, three times: requests per second relative to a new ' +
  'process for each row\n')
const server = await startServer('all rows', 'status')
const paces = Object.fromEntries(chosen.map(({ row }) => [row, []]))
for (let turn = 0; turn < 3; turn++) {
  for (const { row, path } of chosen) {
    const { rate } = await load({ ...server, path }, 300, values.smoke ? 2 : 32)
    paces[row].push((await load({ ...server, path }, rate * seconds, values.smoke ? 2 : 32)).rate)
  }
}
await server.stop()
table(['', 'first turn', 'second', 'third'], results.map(([row, of]) =>
  [row, ...paces[row].map(rate => (rate / median(of.production.map(round => round.rate))).toFixed(2))]))

const timeLimit = await measure('one track, ascii', ['production', 'no time limit'], values.smoke ? 2 : 32)
print(
  `Signal and time limit, for an adapter that does not read the signal: one track takes ${(lowest(timeLimit.production) / lowest(timeLimit['no time limit'])).toFixed(2)} times the CPU that it takes with \`adapterTimeout: 0\`.\n`
)

print('Connections: requests per second for a page of 20, ASCII, median\n')
const compared = ['node:http', 'Fastify, schemas', 'production']
const connections = []
for (const count of values.smoke ? [1] : [1, 10, 100, 1000]) {
  const measured = await measure('page of 20, ascii', compared, count)
  connections.push([`${count}`, ...compared.map(kind => median(measured[kind].map(({ rate }) => rate)).toFixed(0))])
}
table(['connections', ...compared], connections)

print('Start-up: ms, median of new processes\n')
const startUps = { bare: [], ours: [] }
for (let round = 0; round < rounds; round++) {
  for (const kind of ['bare', 'ours']) {
    const { stdout } = await execFile(
      process.execPath, [fileURLToPath(new URL('start-up.js', import.meta.url)), kind],
      { env: { ...process.env, NODE_ENV: 'production' } }
    )
    startUps[kind].push(JSON.parse(stdout))
  }
}
const inMilliseconds = (kind, part) => median(startUps[kind].map(part)).toFixed(0)
table(['', 'imports', 'ready()'], [['bare Fastify', 'bare'], ['ours', 'ours']].map(([name, kind]) =>
  [name, inMilliseconds(kind, ({ imports }) => imports), inMilliseconds(kind, ({ ready }) => ready)]))
