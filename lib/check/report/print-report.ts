import { styleText } from 'node:util'
import type { OperationOutcome, Report } from './make-report.ts'
import type { Finding } from '../probe/findings.ts'

type Style = 'green' | 'yellow' | 'red' | 'dim' | 'bold'

const styles: Record<OperationOutcome, Style> = {
  ok: 'green', warning: 'yellow', broken: 'red', 'not offered': 'dim', 'not run': 'dim', 'not checked': 'dim'
}

/** The hint about unchecked media on other servers. */
const notLoadedHint = 'Without a socket, only media of the app itself are loaded. ' +
  'To check these too, start the source, and check it with its URL: npx fastify-source-origin check <url>'

/** Returns the numbers of items that were not requested, with a hint. */
function sampledLines ({ sampled }: Report): string[] {
  const parts = Object.entries(sampled).filter(([, { asked, known }]) => asked < known)
    .map(([tag, { asked, known }]) => `${asked} of ${known} ${tag}s`)
  return parts.length === 0
    ? []
    : ['', `asked by id: ${parts.join(', ')}; --samples <n> asks for more, and loads more audio and pictures`]
}

/** Returns the report as plain text: a line for each operation, then each finding with its hint, then the totals. */
export function printReport (report: Report, colours: boolean): string {
  const { source, version, outcome, operations, findings, notLoaded } = report
  const paint = (style: Style, text: string) => colours ? styleText(style, text, { validateStream: false }) : text
  const width = Math.max(...operations.map(({ path }) => path.length))

  const table = operations.map(({ operation, method, path, outcome }) =>
    `${paint(styles[outcome], outcome.padEnd(11))}  ${method.padEnd(4)} ${path.padEnd(width)}  ${operation}`)
  const countOf = (name: string) => operations.filter(({ outcome }) => outcome === name).length
  const counts = Object.keys(styles).map(name => [countOf(name), name] as const)
  const summary = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`).join(', ')

  return [
    `${paint('bold', source)}, checked by fastify-source-origin ${version}`,
    '',
    ...table,
    ...group(findings).flatMap(([first, ...others]) => [
      '',
      `${paint(styles[first.level], first.level)}  ${paint('bold', first.rule)}  ${first.operation}`,
      `  ${first.request}${first.path === undefined ? '' : `  ${first.path}`}`,
      `  ${first.message}`,
      ...(first.log?.split('\n').map(line => `  | ${line}`) ?? []),
      ...(others.length === 0 ? [] : [`  The same with ${others.map(({ operation }) => operation).join(', ')}`]),
      `  ${paint('dim', first.hint)}`
    ]),
    ...notLoaded.map(({ url, operation }, index) => `${index === 0 ? '\n' : ''}not loaded  ${url}  ${operation}`),
    ...(notLoaded.length === 0 ? [] : [`  ${paint('dim', notLoadedHint)}`]),
    ...sampledLines(report),
    '',
    paint(styles[outcome], summary),
    ''
  ].join('\n')
}

/** Groups findings that are equal for several operations. */
function group (findings: readonly Finding[]): [Finding, ...Finding[]][] {
  const groups = new Map<string, [Finding, ...Finding[]]>()
  for (const finding of findings) {
    const key = JSON.stringify([finding.rule, finding.message, finding.path])
    const same = groups.get(key)
    if (same === undefined) groups.set(key, [finding])
    else same.push(finding)
  }
  return [...groups.values()]
}
