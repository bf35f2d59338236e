import { escapeMarkup, withoutForbidden } from '../../text/escape-markup.ts'
import type { Finding } from '../probe/findings.ts'
import type { Report } from './make-report.ts'

/** Escapes a string for XML. */
const escape = (text: string) => escapeMarkup(withoutForbidden(text))

const describe = ({ request, path = '', message, hint }: Finding) =>
  [request, path, message, hint].filter(Boolean).map(text => escape(text!)).join('\n')

/**
 * Returns the report as JUnit XML: a test case for each operation, a failure for each violated rule, warnings as its
 * output.
 *
 * @param strict whether warnings are failures
 */
export function junitReport ({ source, operations, findings }: Report, strict = false): string {
  const fails = ({ level }: Finding) => level === 'broken' || strict
  const cases = operations.map(({ operation, path, outcome }) => {
    const found = findings.filter(finding => finding.operation === operation)
    const skipped = outcome.startsWith('not ') ? [`    <skipped message="${outcome}"/>`] : []
    const failures = found.filter(fails)
      .map(finding =>
        `    <failure type="${finding.rule}" message="${escape(finding.message)}">${describe(finding)}</failure>`)
    const warnings = found.filter(finding => !fails(finding)).map(finding => `${finding.rule}\n${describe(finding)}`)
    return [
      `  <testcase classname="${escape(source)}" name="${operation} ${path}">`,
      ...skipped,
      ...failures,
      ...(warnings.length === 0 ? [] : [`    <system-out>${warnings.join('\n\n')}</system-out>`]),
      '  </testcase>'
    ].join('\n')
  })
  const failed = new Set(findings.filter(fails).map(({ operation }) => operation)).size
  const skipped = operations.filter(({ outcome }) => outcome.startsWith('not ')).length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="source-origin check" tests="${operations.length}" failures="${failed}" ` +
      `skipped="${skipped}" errors="0">`,
    ...cases,
    '</testsuite>',
    ''
  ].join('\n')
}
