import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Test } from 'tap'
import { demo, folder } from './helper.ts'

const cli = createRequire(import.meta.url).resolve('fastify-cli/cli.js')

/** What the container is started with, without the program and the built module. */
const containerArgs: string[] =
  JSON.parse(/^CMD (.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))![1]!).slice(1, -1)

interface RunOptions {
  /** A program, with its arguments, that runs the command of the example. */
  readonly prefix?: readonly string[]
  /** Whether the built example runs, as in the container, instead of its sources. */
  readonly built?: boolean
  /** Another built example. */
  readonly app?: string
}

/** Starts the example as the container does, in a process of its own. */
export function runExample (
  t: Test, env: Record<string, string>, { prefix = [], app, built = app !== undefined }: RunOptions = {}
) {
  const args = [...containerArgs, '--address', '127.0.0.1', app ?? (built ? 'dist/example/app.js' : 'example/app.ts')]
  const [program, ...rest] = [...prefix, process.execPath, ...built ? [] : process.execArgv, cli, ...args]
  const child = spawn(program!, rest, {
    env: {
      ...process.env,
      ...built && { NODE_OPTIONS: '' },
      PORT: '0',
      NODE_ENV: 'development',
      MUSIC_DIR: demo,
      DATA_DIR: folder(t),
      SOURCE_API_TOKEN: '',
      ...env
    }
  })
  const output = { out: '', err: '' }
  child.stdout.on('data', data => { output.out += data })
  child.stderr.on('data', data => { output.err += data })
  const ended = once(child, 'close').then(([code, signal]: any[]) => ({ code, signal }))
  t.teardown(() => {
    child.kill()
    return ended
  })
  const said = async (text: RegExp) => {
    const limit = { signal: AbortSignal.timeout(180_000) }
    while (!text.test(output.out)) {
      const said = once(child.stdout, 'data', limit)
        .catch(() => { throw new Error(`${text} was not said within three minutes: ${output.out}`) })
      await Promise.race([said, ended.then(() => { throw new Error(output.err) })])
    }
    return text.exec(output.out)!
  }
  return { child, output, ended, said }
}
