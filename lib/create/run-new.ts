import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { createProject, defaultName, isTemplate, templateNames } from './create-project.ts'

const usage = `Usage: fastify-source-origin new [folder] [options]

Create a TypeScript project of a music source in an empty or new folder.

  --template <name>   folder: a folder of music files (default)
                      upstream: a service with logins, with a demo service
  --yes, -y           Skip the questions; the default folder is ${defaultName}
  --help
`

/** The parts of `process` that the command uses. */
export interface NewTerminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>
}

/**
 * Runs the command `new`. Never throws.
 *
 * @param args the arguments after `new`
 * @param signal aborts the prompts
 * @returns the exit status: 0, 2 without a project, 130 if interrupted
 */
export async function runNew (args: string[], terminal: NewTerminal, signal: AbortSignal): Promise<0 | 2 | 130> {
  const { stdin, stdout, stderr } = terminal
  try {
    const { values, positionals: [folder, ...more] } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        template: { type: 'string' },
        yes: { type: 'boolean', short: 'y', default: false },
        help: { type: 'boolean' }
      }
    })
    if (values.help) {
      stdout.write(usage)
      return 0
    }
    if (more.length > 0) throw new TypeError(`expected: new [folder]\n\n${usage}`)
    const answer = async (given: string | undefined, question: string, byDefault: string) =>
      given ?? (values.yes || !stdin.isTTY ? byDefault : await ask(terminal, signal, question, byDefault))
    const chosen = await answer(folder, 'Folder of the project', defaultName)
    const template = await answer(values.template, `Template, ${templateNames.join(' or ')}`, 'folder')
    if (!isTemplate(template)) throw new TypeError(`the template must be ${templateNames.join(' or ')}`)
    const name = await createProject(chosen, template)
    const path = relative('', resolve(chosen))
    const change = path === '' ? '' : `  cd ${quoted(path)}\n`
    stdout.write(`${name} is ready:\n\n${change}  npm install\n  npm run dev\n`)
    return 0
  } catch (error) {
    const { name, message } = error as Error
    if (name === 'AbortError') return 130
    stderr.write(`fastify-source-origin: ${message}\n`)
    return 2
  }
}

/** Quotes a path for a shell. Every shell supports double quotes, but some characters retain their meaning in them. */
function quoted (path: string): string {
  if (/^[\w./-]+$/.test(path)) return path
  return /[$`!\p{Cc}]/u.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : JSON.stringify(path)
}

async function ask (
  { stdin, stdout }: NewTerminal, signal: AbortSignal, question: string, byDefault: string
): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout })
  // Ctrl-C and Ctrl-D close it, and the prompt would then wait forever.
  const closed = new AbortController()
  terminal.once('close', () => closed.abort())
  try {
    const answer = await terminal.question(
      `${question} (${byDefault}): `, { signal: AbortSignal.any([signal, closed.signal]) }
    )
    return answer.trim() || byDefault
  } finally {
    terminal.close()
  }
}
