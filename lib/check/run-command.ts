import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createSourceClient } from '../client/create-source-client.ts'
import { sdkVersion } from '../sdk-version.ts'
import { checkSource } from './check-source.ts'
import { junitReport } from './junit-report.ts'
import { printReport } from './print-report.ts'

const usage = `Usage: source-origin check <url> [options]

Walks a running source origin as a client would, and says what clients will trip over.

  --token <token>      the Authorization header, as the source was given it; better in the variable SOURCE_API_TOKEN
  --only <names>       tags or operations, with commas between: track,search,getAlbumDetail
  --keyword <text>     what to search for when no list of the source gives a name
  --write              try the operations that write too, and undo what they did
  --timeout <ms>       milliseconds that one request may take (10000)
  --concurrency <n>    requests at the same time (4)
  --json               the report as JSON
  --junit <file>       write the report as JUnit XML too
  --help, --version

Exit status: 0 fine (warnings count as fine), 1 broken, 2 the check could not run.
`

/** Where a command writes to and what it reads; `process` is one. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv
  readonly stdout: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>
  readonly stderr: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>
}

/** Runs the command line. Returns the exit status; nothing is thrown. */
export async function runCommand (args: string[], terminal: Terminal): Promise<0 | 1 | 2> {
  try {
    return await run(args, terminal)
  } catch (error) {
    terminal.stderr.write(`source-origin: ${(error as Error).message}\n`)
    return 2
  }
}

async function run (args: string[], { env, stdout, stderr }: Terminal): Promise<0 | 1 | 2> {
  const { values, positionals: [command, url, ...more] } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      token: { type: 'string', default: env.SOURCE_API_TOKEN },
      only: { type: 'string', multiple: true },
      keyword: { type: 'string' },
      write: { type: 'boolean' },
      timeout: { type: 'string' },
      concurrency: { type: 'string' },
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
  if (command !== 'check' || url === undefined || more.length > 0) throw new TypeError(`expected: check <url>\n\n${usage}`)
  if (!/^https?:\/\//i.test(url)) throw new TypeError('the url must begin with http:// or https://')

  let requests = 0
  const report = await checkSource({
    client: createSourceClient({ baseUrl: url, authorization: values.token }),
    only: values.only?.flatMap(names => names.split(',')).map(name => name.trim()),
    keyword: values.keyword,
    write: values.write,
    timeout: numberOf('timeout', values.timeout),
    concurrency: numberOf('concurrency', values.concurrency),
    onProgress: operation => { if (stderr.isTTY) stderr.write(`\r\u001b[2K${++requests} ${operation}`) }
  }).finally(() => { if (stderr.isTTY) stderr.write('\r\u001b[2K') })

  if (values.junit !== undefined) await writeFile(values.junit, junitReport(report))
  stdout.write(values.json ? JSON.stringify(report, null, 2) + '\n' : printReport(report, Boolean(stdout.isTTY && !env.NO_COLOR)))
  return report.outcome === 'broken' ? 1 : 0
}

function numberOf (name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new TypeError(`--${name} must be a whole number from 1`)
  return Number(value)
}
