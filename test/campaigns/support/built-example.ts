import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { token } from '../../helper.ts'

export const busy = 'The source is too busy'

/** The built example in a process of its own. */
export class BuiltExample {
  readonly #child
  /** Resolves when the process is gone. */
  readonly ended: Promise<unknown>
  #errors = ''
  #url = ''

  private constructor (env: Record<string, string>) {
    const args = ['node_modules/fastify-cli/cli.js', 'start', '--log-level', 'info', '--options',
      '--close-grace-delay', '630000', 'dist/example/app.js']
    const ours = { PORT: '0', SOURCE_API_TOKEN: token, NODE_ENV: 'production', INIT_CWD: '', DATABASE_URL: '' }
    this.#child = spawn(process.execPath, args, {
      env: { ...process.env, ...ours, ...env }, stdio: ['ignore', 'pipe', 'pipe']
    })
    this.#child.stderr.on('data', data => { this.#errors += data })
    this.ended = once(this.#child, 'close')
  }

  /** @throws Error with what it has said, when it ends before it listens */
  static async start (env: Record<string, string>): Promise<BuiltExample> {
    const example = new BuiltExample(env)
    for await (const line of createInterface(example.#child.stdout)) {
      const [, url] = /Server listening at (http:\/\/[^"]+)/.exec(line) ?? []
      if (url === undefined) continue
      example.#child.stdout.resume()
      example.#url = url
      await example.data('/v1/status')
      return example
    }
    await example.ended
    throw new Error(example.#errors.trim())
  }

  /** @throws Error when there is no answer */
  fetch (path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.#url + path, init)
  }

  /** @throws Error when there is no answer */
  async call (path: string, body?: object): Promise<{ code: number, message?: string, data: any }> {
    const response = await this.fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      ...body !== undefined && { body: JSON.stringify(body) }
    })
    return await response.json() as { code: number, message?: string, data: any }
  }

  /** The data of a call that has to succeed, asked again while the source refuses as overloaded. */
  async data (path: string, body?: object): Promise<any> {
    let answer
    while ((answer = await this.call(path, body)).message === busy) await sleep(200)
    const { code, message, data } = answer
    if (code !== 200) throw new Error(`${path} is answered ${code} ${message}`)
    return data
  }

  /** Ends it with SIGKILL. */
  async kill (): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }
}

/** What every call is answered with while the database is away. */
export const away = 'The database of accounts cannot be reached'
