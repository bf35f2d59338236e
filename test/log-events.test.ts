import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { readDocument } from './doc-blocks.ts'

// A line of the log is a constant event and fields. docs/operations/log.md lists the events; this test compares it with
// the calls in lib/ and example/, which name the event as their second argument.

const root = fileURLToPath(new URL('..', import.meta.url))
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** Functions that pass an event on. Their callers name it, as the second argument too. */
const forwarders: Readonly<Record<string, string>> = {
  'lib/cache/metrics.ts': 'warnOnce logs the first event of each operation',
  'lib/combine/generated-part.ts': 'adds the source to events of its library',
  'lib/library/mirror.ts': 'adds the server to the event',
  'lib/source/source-session.ts': 'removes secrets from the error',
  'lib/source/warn-of-answer.ts': 'logs each property once, and collects hints for the check',
  'example/index/left-out.ts': 'logs each message once, and lists messages for the page'
}

interface Call {
  readonly place: string
  readonly event: string | undefined
  readonly levels: readonly string[]
  readonly fields: readonly string[]
}

/** The levels at which a call logs; `undefined` for a call that does not log. */
function levelsOf (called: ts.Expression): string[] | undefined {
  if (ts.isIdentifier(called)) return called.text === 'warn' ? ['warn'] : undefined
  const isLog = (value: ts.Expression) => /log(ger)?$/i.test(value.getText())
  if (ts.isElementAccessExpression(called) && isLog(called.expression)) {
    return levels.filter(level => called.argumentExpression.getText().includes(`'${level}'`))
  }
  if (!ts.isPropertyAccessExpression(called) || called.expression.getText() === 'console') return undefined
  const name = called.name.text.replace('#', '')
  if (name === 'warn' || name === 'warnOnce') return ['warn']
  return isLog(called.expression) && levels.includes(name) ? [name] : undefined
}

function callsOf (file: string, text: string): Call[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const calls: Call[] = []
  const visit = (node: ts.Node): void => {
    const found = ts.isCallExpression(node) ? levelsOf(node.expression) : undefined
    if (found !== undefined) {
      const [details, event] = (node as ts.CallExpression).arguments
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      calls.push({
        place: `${file}:${line}`,
        event: event !== undefined && ts.isStringLiteral(event) ? event.text : undefined,
        levels: found,
        fields: details === undefined || !ts.isObjectLiteralExpression(details)
          ? []
          : details.properties.flatMap(({ name }) => name?.getText() ?? [])
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return calls
}

const filesOf = async (folder: string) => (await readdir(`${root}${folder}`, { recursive: true }))
  .map(name => `${folder}/${name.replaceAll('\\', '/')}`)
  .filter(name => name.endsWith('.ts') && !name.startsWith('lib/page/browser/'))
const files = [...await filesOf('lib'), ...await filesOf('example')]
const calls = (await Promise.all(files.map(async file => callsOf(file, await readFile(`${root}${file}`, 'utf8'))))).flat()

const table = await readDocument('docs/operations/log.md')
const row = /^\| `([^`]+)` \| ([^|\n]+) \|([^|\n]*)\| .+ \|$/gm
const rows = [...table.matchAll(row)].map(([, event = '', levels = '', fields = '']) =>
  ({ event, levels: levels.split(', '), fields: [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name) }))

t.test('a log call names a constant event as its second argument', async t => {
  const others = calls.filter(({ event }) => event === undefined).map(({ place }) => place.replace(/:\d+$/, ''))
  t.strictSame(others.sort(), Object.keys(forwarders).sort())
})

t.test('an event is a few lower-case words', async t => {
  t.strictSame(rows.map(({ event }) => event).filter(event => !/^[a-z]+(?: [a-z]+){0,4}$/.test(event)), [])
})

t.test('the document lists each event once, and no others', async t => {
  const events = new Set(calls.flatMap(({ event }) => event ?? []))
  t.strictSame(rows.map(({ event }) => event).sort(), [...events].sort())
})

t.test('the document lists the levels and fields of each event', async t => {
  for (const { event, levels, fields } of rows) {
    const same = calls.filter(call => call.event === event)
    t.strictSame(levels.sort(), [...new Set(same.flatMap(call => call.levels))].sort(), `levels of ${event}`)
    t.strictSame(same.flatMap(call => call.fields).filter(name => !fields.includes(name)), [], `fields of ${event}`)
  }
})
