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

/**
 * The example from its sources, started as the container does in a process of its own.
 *
 * @param prefix of its command: a program that runs it
 */
export function runExample (t: Test, env: Record<string, string>, { prefix = [] as readonly string[] } = {}) {
  const args = [...containerArgs, '--address', '127.0.0.1', 'example/app.ts']
  const [program, ...rest] = [...prefix, process.execPath, ...process.execArgv, cli, ...args]
  const child = spawn(program!, rest, {
    env: {
      ...process.env,
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
    while (!text.test(output.out)) {
      await Promise.race([once(child.stdout, 'data'), ended.then(() => { throw new Error(output.err) })])
    }
    return text.exec(output.out)!
  }
  return { child, output, ended, said }
}
