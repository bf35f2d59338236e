import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { createProject, defaultName } from './create-project.ts'

const usage = `Usage: fastify-source-origin new [folder] [options]

Writes a small TypeScript project of a music source into a folder that is empty or does not exist.

  --yes, -y   ask nothing: without a folder it is ${defaultName}
  --help
`

/** The parts of `process` that the command uses. */
export interface NewTerminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>
}

/**
 * Runs the command `new`. Throws nothing.
 *
 * @param args what follows `new`
 * @param signal ends the question
 * @returns the exit status: 0, 2 when there is no project, 130 interrupted
 */
export async function runNew (args: string[], terminal: NewTerminal, signal: AbortSignal): Promise<0 | 2 | 130> {
  const { stdin, stdout, stderr } = terminal
  try {
    const { values, positionals: [folder, ...more] } = parseArgs({
      args,
      allowPositionals: true,
      options: { yes: { type: 'boolean', short: 'y', default: false }, help: { type: 'boolean' } }
    })
    if (values.help) {
      stdout.write(usage)
      return 0
    }
    if (more.length > 0) throw new TypeError(`expected: new [folder]\n\n${usage}`)
    const chosen = folder ?? (values.yes || !stdin.isTTY ? defaultName : await askFolder(terminal, signal))
    const name = await createProject(chosen)
    const path = relative('', resolve(chosen))
    const change = path === '' ? '' : `  cd ${quoted(path)}\n`
    stdout.write(`${name} is ready:\n\n${change}  npm install\n  npm start\n`)
    return 0
  } catch (error) {
    const { name, message } = error as Error
    if (name === 'AbortError') return 130
    stderr.write(`fastify-source-origin: ${message}\n`)
    return 2
  }
}

/** A path for a shell. Every shell knows double quotes, but some characters keep their meaning in them. */
function quoted (path: string): string {
  if (/^[\w./-]+$/.test(path)) return path
  return /[$`!\p{Cc}]/u.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : JSON.stringify(path)
}

async function askFolder ({ stdin, stdout }: NewTerminal, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout })
  // Ctrl-C and Ctrl-D close it, and then the question would wait for ever.
  const closed = new AbortController()
  terminal.once('close', () => closed.abort())
  try {
    const answer = await terminal.question(
      `Folder of the project (${defaultName}): `, { signal: AbortSignal.any([signal, closed.signal]) }
    )
    return answer.trim() || defaultName
  } finally {
    terminal.close()
  }
}
