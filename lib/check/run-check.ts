import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createSourceClient } from '../client/index.ts'
import { sdkVersion } from '../text/sdk-version.ts'
import { checkSource } from './check-source.ts'
import { junitReport } from './report/junit-report.ts'
import { printReport } from './report/print-report.ts'

const usage = `Usage: source-origin check [url] [options]
       source-origin new [folder] [--template folder|upstream] [--yes]

check   Call a running source as a client does, and report contract violations. Without a url: the source running in
        the current folder (reads data/running.json)
new     Create a source project

  --token <token>      Value of the Authorization header; prefer the variable SOURCE_API_TOKEN
  --only <names>       Check these tags or operations only: track,search,getAlbumDetail
  --keyword <text>     Search for this text if the lists of the source are empty
  --write              Also check operations that change data, and undo the changes
  --timeout <ms>       Timeout of one request (default: 10000)
  --concurrency <n>    Concurrent requests (default: 4)
  --samples <n>        Items of each kind to request by id and to load (default: 3)
  --strict             Exit with 1 on warnings
  --json               Print the report as JSON
  --junit <file>       Also write the report as JUnit XML
  --help, --version

Exit status: 0 passed, 1 failed, 2 the check could not run, 130 interrupted.
`

/** The number of requests between two progress lines without a terminal. */
const progressStep = 50

export type ExitStatus = 0 | 1 | 2 | 130

/** The parts of `process` that a command uses. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv
  readonly stdout: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>
  readonly stderr: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>
}

type FindRunning = (dataDir: string) => Promise<{ url: string, token: string } | undefined>

/**
 * Runs the command line. Never throws.
 *
 * @param findRunning finds the source that runs with a data folder
 * @param signal ends the check, which undoes its changes first
 */
export async function runCommand (
  args: string[], terminal: Terminal, findRunning: FindRunning, signal?: AbortSignal
): Promise<ExitStatus> {
  try {
    return await run(args, terminal, findRunning, signal)
  } catch (error) {
    const { message } = error as Error
    const isInterrupted = signal?.aborted === true
    const left = isInterrupted && error === signal.reason ? '; the check left no change behind' : ''
    terminal.stderr.write(`source-origin: ${message}${left}\n`)
    return isInterrupted ? 130 : 2
  }
}

async function run (
  args: string[], { env, stdout, stderr }: Terminal, findRunning: FindRunning, signal?: AbortSignal
): Promise<ExitStatus> {
  const { values, positionals: [command, given, ...more] } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      token: { type: 'string' },
      only: { type: 'string', multiple: true },
      keyword: { type: 'string' },
      write: { type: 'boolean' },
      timeout: { type: 'string' },
      concurrency: { type: 'string' },
      samples: { type: 'string' },
      strict: { type: 'boolean', default: false },
      json: { type: 'boolean' },
      junit: { type: 'string' },
      help: { type: 'boolean' },
      version: { type: 'boolean' }
    }
  })
  if (values.help || values.version) {
    stdout.write(values.help ? usage : `${sdkVersion}\n`)
    return 0
  }
  if (command !== 'check' || more.length > 0) throw new TypeError(`expected: check [url]\n\n${usage}`)
  const running = given === undefined ? await findRunning(env.DATA_DIR ?? 'data') : undefined
  // Users copy the URL from a request.
  const url = given?.replace(/\/v1\/?$/, '') ?? running?.url
  if (url === undefined) throw new TypeError('no source runs in this folder: start it, or give the url of one')
  if (!/^https?:\/\//i.test(url)) throw new TypeError('the url must begin with http:// or https://')

  signal?.addEventListener('abort', () => {
    stderr.write('\nending the check and undoing its changes; interrupt again to stop at once\n')
  })
  let requests = 0
  const clearLine = () => { if (stderr.isTTY) stderr.write('\r\u001b[2K') }
  const report = await checkSource({
    client: createSourceClient({ baseUrl: url, authorization: values.token ?? running?.token ?? env.SOURCE_API_TOKEN }),
    only: values.only?.flatMap(names => names.split(',')).map(name => name.trim()),
    keyword: values.keyword,
    write: values.write,
    timeout: numberOf('timeout', values.timeout),
    concurrency: numberOf('concurrency', values.concurrency),
    samples: numberOf('samples', values.samples),
    signal,
    onProgress: operation => {
      clearLine()
      if (stderr.isTTY) stderr.write(`${++requests} ${operation}`)
      else if (++requests % progressStep === 0) stderr.write(`${requests} requests, now ${operation}\n`)
    }
  }).finally(clearLine)

  const colours = Boolean(stdout.isTTY && !env.NO_COLOR)
  stdout.write(values.json ? JSON.stringify(report, null, 2) + '\n' : printReport(report, colours))
  if (values.junit !== undefined) await writeFile(values.junit, junitReport(report, values.strict))
  return report.outcome === 'broken' || (values.strict && report.outcome === 'warning') ? 1 : 0
}

function numberOf (name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new TypeError(`--${name} must be a whole number from 1`)
  return Number(value)
}
