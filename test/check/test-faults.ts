import type { Test } from 'tap'
import { operations } from 'fastify-source-origin'
import { checkSource, createSourceClient, type RuleId } from 'fastify-source-origin/check'
import { rules } from '../../lib/check/rules.ts'
import { fifthOf } from '../fifth.ts'
import { token } from '../reference-source.ts'
import type { Fault } from './inject-faults.ts'
import { clientOfFaulty, listenFaulty } from './faulty-origin.ts'

/** Rules about the connection need one. */
const onSocket: RuleId[] =
  ['no-answer', 'timeout', 'answer-too-long', 'service-status', 'not-json', 'redirect-status', 'audio-status']

/** A change of a playlist is seen in others. */
const isOfPlaylists = (operation: string) => operations.some(({ adapterMethod, tag }) =>
  adapterMethod === operation && tag === 'playlist')

/**
 * Injects each fault into a sound source, and expects that the check finds it and nothing else: for a fifth of them the
 * whole check, for the others that of their operation.
 */
export function testFaults (t: Test, faults: readonly Fault[]): void {
  // After the first HEAD that is answered wrongly no other one is asked: only the whole check has others.
  const head = faults.find(({ rule }) => rule === 'head-differs')
  const whole = new Set([...fifthOf(faults), ...head === undefined ? [] : [head]])
  for (const fault of faults) {
    const { rule, operation, title, inject, context, options } = fault
    const only = whole.has(fault) ? undefined : [isOfPlaylists(operation) ? 'playlist' : operation]
    t.test(`${rule}: ${title}`, async t => {
      const client = onSocket.includes(rule)
        ? createSourceClient({ baseUrl: await listenFaulty(t, inject, context), authorization: token })
        : await clientOfFaulty(t, inject, context)
      const report = await checkSource({ client, write: true, only, ...options })
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
