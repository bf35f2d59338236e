import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'

/** What tap reads too. */
const { jobs, timeout, 'node-arg': nodeArgs } = JSON.parse(readFileSync('package.json', 'utf8')).tap

/**
 * Runs files of tests without tap's runner, which makes the start of each process that they start twice as long.
 * Shows what fails.
 *
 * @param results the folder in which the output of each file is kept
 * @param coverage the folder in which Node keeps what all processes have run
 * @returns whether all have passed
 */
export async function runPlain (
  files: readonly string[], results: string, coverage?: string | undefined
): Promise<boolean> {
  rmSync(results, { recursive: true, force: true })
  const waiting = [...files]
  process.once('SIGINT', () => { waiting.length = 0 })
  let haveAllPassed = true
  const runNext = async () => {
    while (waiting.length > 0) haveAllPassed = await runFile(waiting.shift()!, results, coverage) && haveAllPassed
  }
  await Promise.all(Array.from({ length: Number(process.env.TAP_JOBS) || jobs }, runNext))
  return haveAllPassed
}

async function runFile (file: string, results: string, coverage: string | undefined): Promise<boolean> {
  const child = spawn(process.execPath, [...nodeArgs, file], {
    // It ends by itself after that time, unless it blocks.
    env: {
      ...process.env, TAP_TIMEOUT: String(timeout), ...coverage !== undefined && { NODE_V8_COVERAGE: resolve(coverage) }
    },
    timeout: timeout * 1100,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const [output, errors, [code, signal]] =
    await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const kept = join(results, `${file}.tap`)
  mkdirSync(dirname(kept), { recursive: true })
  writeFileSync(kept, output)
  const hasPassed = code === 0 && /^1\.\.[1-9]/m.test(output)
  if (!hasPassed) console.log(`${file} ended with ${signal ?? code}, see ${kept}\n${failuresIn(output)}${errors}`)
  return hasPassed
}

/** The lines of TAP about tests that have failed, with what was expected. */
const failuresIn = (output: string) => (output.match(/^ *not ok .*\n(?: *---\n[^]*?\n *\.\.\.\n)?/gm) ?? []).join('')
