import type { Report } from './check-source.ts'
import type { Finding } from './inspection.ts'

const entities = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }
const escape = (text: string) => text.replace(/[<>&"]/g, character => entities[character as keyof typeof entities])

const tell = ({ request, path = '', message, hint }: Finding) => escape([request, path, message, hint].filter(Boolean).join('\n'))

/** The report as JUnit XML: a test case for each operation, a failure for each broken rule, warnings as its output. */
export function junitReport ({ source, operations, findings }: Report): string {
  const cases = operations.map(({ operation, path, outcome }) => {
    const found = findings.filter(finding => finding.operation === operation)
    const skipped = outcome.startsWith('not ') ? [`    <skipped message="${outcome}"/>`] : []
    const failures = found.filter(({ level }) => level === 'broken')
      .map(finding => `    <failure type="${finding.rule}" message="${escape(finding.message)}">${tell(finding)}</failure>`)
    const warnings = found.filter(({ level }) => level === 'warning').map(finding => `${finding.rule}\n${tell(finding)}`)
    return [
      `  <testcase classname="${escape(source)}" name="${operation} ${path}">`,
      ...skipped,
      ...failures,
      ...(warnings.length === 0 ? [] : [`    <system-out>${warnings.join('\n\n')}</system-out>`]),
      '  </testcase>'
    ].join('\n')
  })
  const count = (...outcomes: string[]) => operations.filter(({ outcome }) => outcomes.includes(outcome)).length
  const skipped = count('not offered', 'not run', 'not checked')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="source-origin check" tests="${operations.length}" failures="${count('broken')}" skipped="${skipped}" errors="0">`,
    ...cases,
    '</testsuite>',
    ''
  ].join('\n')
}
