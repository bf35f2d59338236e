// npm run campaign: looks for defects with random input. Prints what it finds with the seed that finds it again.
//
//   npm run campaign                                  all campaigns
//   npm run campaign -- fuzz soak --seconds 600       some of them, for longer
//   npm run campaign -- fuzz --seed 42 --count 1      one round again
//
//   --count     rounds of each campaign; default: what the campaign says
//   --seed      of the first round; the next one has the next number. Default: another one each time
//   --seconds   that each campaign may take; default 60
//
// A campaign is a module in this folder that exports `run` and `count`: see support/campaign.ts. It runs in a worker,
// so that one that blocks is ended, and its seed known. It sees the package as it was built.

import { build } from 'esbuild'
import { readdir, rm } from 'node:fs/promises'
import { join, parse, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect, parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Seconds without a new round after which a campaign hangs. One may wait for 100 itself, on a busy machine longer. */
const maxQuiet = 240

if (isMainThread) await main()
else await work(workerData)

async function main () {
  const folder = import.meta.dirname
  const sources = (await readdir(folder)).filter(file => /\.[jt]s$/.test(file) && file !== 'run.js').sort()
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: 'string' }, seed: { type: 'string' }, seconds: { type: 'string', default: '60' } }
  })
  const names = sources.map(file => parse(file).name)
  const wanted = positionals.length === 0 ? names : positionals
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const seconds = Number(values.seconds)
  const count = values.count === undefined ? undefined : Number(values.count)
  const isWrong = [seed, seconds, count ?? 1].some(number => !Number.isSafeInteger(number) || number < 0)
  if (isWrong || wanted.some(name => !names.includes(name))) {
    process.stderr.write(`Usage: npm run campaign -- [${names.join('|')}]... [--count n] [--seed n] [--seconds n]\n`)
    process.exitCode = 2
    return
  }

  // Node 20 runs no TypeScript. Packages stay outside of the bundle, this one and the example as they were built too.
  const out = join(folder, `../../node_modules/.cache/campaigns-${process.pid}`)
  const entryPoints = wanted.map(name => join(folder, sources[names.indexOf(name)]))
  try {
    await build({
      entryPoints,
      outdir: out,
      bundle: true,
      splitting: true,
      packages: 'external',
      plugins: [{ name: 'as-built', setup: useBuilt }],
      platform: 'node',
      target: 'node20',
      format: 'esm',
      outExtension: { '.js': '.mjs' }
    })
    for (const name of wanted) {
      const found = await runOne(name, { file: join(out, `${name}.mjs`), seed, count, seconds })
      if (found > 0) process.exitCode = 1
    }
  } finally {
    await rm(out, { recursive: true })
  }
}

/** What is named by its source is that of the build. */
function useBuilt ({ onResolve }) {
  const root = join(import.meta.dirname, '../..')
  onResolve({ filter: /^\.\..*\.ts$/ }, ({ path, resolveDir }) => {
    const file = relative(root, join(resolveDir, path))
    if (!/^(?:lib|schemas|example)\b/.test(file)) return undefined
    const built = join(root, 'dist', file.replace(/\.ts$/, '.js'))
    return { path: pathToFileURL(built).href, external: true }
  })
}

/** @returns how many findings there were */
async function runOne (name, options) {
  const began = performance.now()
  // The round that runs: its number, and its seed.
  const progress = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...options, progress } })
  let found = 0
  let roundBefore
  let quiet = 0
  const find = (what, seed = progress[1] >>> 0) => {
    found++
    process.stdout.write(`${name}: ${what}\n  again: npm run campaign -- ${name} --seed ${seed} --count 1\n`)
  }
  const watch = setInterval(() => {
    quiet = progress[0] === roundBefore ? quiet + 1 : 0
    roundBefore = progress[0]
    if (quiet < maxQuiet) return
    find(`hangs for ${maxQuiet} seconds`)
    worker.terminate()
  }, 1000)
  // The worker is further by now, so it says which round it was.
  worker.on('message', ({ what, seed }) => find(what, seed))
  worker.on('error', error => find(`ends the process: ${inspect(error)}`))
  await new Promise(resolve => worker.once('exit', resolve))
  clearInterval(watch)
  const took = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`${name}: ${progress[0]} rounds from seed ${options.seed} in ${took} s, ${found} findings\n`)
  return found
}

async function work ({ file, seed, count, seconds, progress }) {
  const campaign = await import(pathToFileURL(file).href)
  const deadline = performance.now() + seconds * 1000
  const find = what => parentPort.postMessage({ what: String(what), seed: progress[1] >>> 0 })
  function * rounds () {
    for (let round = 0; round < (count ?? campaign.count) && performance.now() < deadline; round++) {
      progress[0] = round + 1
      progress[1] = seed + round
      yield (seed + round) >>> 0
    }
  }
  process.on('unhandledRejection', error => find(`unhandled rejection: ${inspect(error)}`))
  await campaign.run({ rounds: rounds(), find })
}
