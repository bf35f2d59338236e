import t from 'tap'
import { checkSource, createSourceClient, rules, type RuleId } from 'fastify-source-origin/check'
import { token } from '../reference-source.ts'
import { checkedOperations } from '../../lib/check/probe/inspection.ts'
import { faults } from './faults.ts'
import { clientOfPlant, listenWithPlant } from './planted-origin.ts'

/** Rules about the connection need one. */
const onSocket: RuleId[] = ['no-answer', 'timeout', 'answer-too-long', 'service-status', 'not-json', 'redirect-status', 'audio-status']

for (const { rule, operation, title, plant, context, options } of faults) {
  t.test(`${rule}: ${title}`, async t => {
    const client = onSocket.includes(rule)
      ? createSourceClient({ baseUrl: await listenWithPlant(t, plant, context), authorization: token })
      : await clientOfPlant(t, plant, context)
    // One tag is enough, and much faster.
    const { tag } = checkedOperations.find(({ name }) => name === operation)!
    const report = await checkSource({ client, write: true, ...(tag === 'status' ? {} : { only: [tag] }), ...options })
    t.strictSame(report.findings.map(finding => [finding.rule, finding.operation]), [[rule, operation]], JSON.stringify(report.findings, null, 1))
    const [finding] = report.findings
    t.match(finding, { level: rules[rule].level, hint: rules[rule].hint, request: /^(GET|HEAD|POST) \// })
    t.equal(report.outcome, rules[rule].level)
  })
}
