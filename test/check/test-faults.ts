import type { Test } from 'tap'
import { checkSource, createSourceClient, rules, type RuleId } from 'fastify-source-origin/check'
import { fifthOf } from '../fifth.ts'
import { token } from '../reference-source.ts'
import type { Fault } from './inject-faults.ts'
import { clientOfFaulty, listenFaulty } from './faulty-origin.ts'

/** Rules about the connection need one. */
const onSocket: RuleId[] =
  ['no-answer', 'timeout', 'answer-too-long', 'service-status', 'not-json', 'redirect-status', 'audio-status']

/** Injects each fault into a sound source, and expects that the whole check finds it and nothing else. */
export function testFaults (t: Test, faults: readonly Fault[]): void {
  for (const { rule, operation, title, inject, context, options } of fifthOf(faults)) {
    t.test(`${rule}: ${title}`, async t => {
      const client = onSocket.includes(rule)
        ? createSourceClient({ baseUrl: await listenFaulty(t, inject, context), authorization: token })
        : await clientOfFaulty(t, inject, context)
      // The whole check, so that what it finds elsewhere is seen too.
      const report = await checkSource({ client, write: true, ...options })
      t.strictSame(
        report.findings.map(finding => [finding.rule, finding.operation]), [[rule, operation]],
        JSON.stringify(report.findings, null, 1)
      )
      const [finding] = report.findings
      t.match(finding, { level: rules[rule].level, hint: rules[rule].hint, request: /^(GET|HEAD|POST) \// })
      t.equal(report.outcome, rules[rule].level)
    })
  }
}
