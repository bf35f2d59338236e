import t from 'tap'
import type { Finding, Report } from 'fastify-source-origin/check'
import { rules } from '../../../lib/check/rules.ts'
import { printReport } from '../../../lib/check/report/print-report.ts'

const finding = (operation: Finding['operation'], more: Partial<Finding> = {}): Finding =>
  ({
    ...rules['answer-error'],
    rule: 'answer-error',
    operation,
    request: 'GET /v1/track',
    message: 'answered 500',
    ...more
  })

const report: Report = {
  source: 'https://music.example',
  version: '1.2.3',
  outcome: 'broken',
  operations: [
    { operation: 'getTrackDetail', method: 'GET', path: '/v1/track', outcome: 'broken' },
    { operation: 'getTrackLyrics', method: 'GET', path: '/v1/track/lyrics', outcome: 'broken' },
    { operation: 'createPlaylist', method: 'POST', path: '/v1/playlist/create', outcome: 'not run' },
    { operation: 'getUserMe', method: 'GET', path: '/v1/user/me', outcome: 'ok' }
  ],
  findings: [
    finding('getTrackDetail', { path: '/title' }),
    finding('getTrackDetail'),
    finding('getTrackLyrics')
  ],
  notLoaded: [],
  sampled: {}
}
const { hint } = rules['answer-error']

t.test('the report lists the operations, each finding once with its hint, and how many went how', async t => {
  t.equal(printReport(report, false), `https://music.example, checked by fastify-source-origin 1.2.3

broken       GET  /v1/track            getTrackDetail
broken       GET  /v1/track/lyrics     getTrackLyrics
not run      POST /v1/playlist/create  createPlaylist
ok           GET  /v1/user/me          getUserMe

broken  answer-error  getTrackDetail
  GET /v1/track  /title
  answered 500
  ${hint}

broken  answer-error  getTrackDetail
  GET /v1/track
  answered 500
  The same with getTrackLyrics
  ${hint}

1 ok, 2 broken, 1 not run
`)
})

const coloured = (begin: number, end: number) => (text: string) => `\u001b[${begin}m${text}\u001b[${end}m`
const [bold, dim, red, green, yellow] =
  [coloured(1, 22), coloured(2, 22), coloured(31, 39), coloured(32, 39), coloured(33, 39)] as const

t.test('with colours, what stands out is bold, and outcomes are green, yellow, red or dim', async t => {
  const outcomes = ['ok', 'warning', 'not offered', 'not checked'] as const
  const operations = outcomes.map(outcome => ({ ...report.operations[0]!, outcome }))
  t.equal(printReport({ ...report, operations, findings: report.findings.slice(0, 1) }, true), [
    `${bold('https://music.example')}, checked by fastify-source-origin 1.2.3`,
    '',
    `${green('ok         ')}  GET  /v1/track  getTrackDetail`,
    `${yellow('warning    ')}  GET  /v1/track  getTrackDetail`,
    `${dim('not offered')}  GET  /v1/track  getTrackDetail`,
    `${dim('not checked')}  GET  /v1/track  getTrackDetail`,
    '',
    `${red('broken')}  ${bold('answer-error')}  getTrackDetail`,
    '  GET /v1/track  /title',
    '  answered 500',
    `  ${dim(hint)}`,
    '',
    red('1 ok, 1 warning, 1 not offered, 1 not checked'),
    ''
  ].join('\n'))
})

t.test('what was not loaded is listed, with how it is checked too', async t => {
  const at = { request: 'GET /v1/track/url?id=1', path: '/data/url' }
  const text = printReport({
    ...report,
    findings: [],
    notLoaded: [
      { ...at, operation: 'getTrackUrl', url: 'https://cdn.example/1.mp3' },
      { ...at, operation: 'getTrackDetail', url: 'https://cdn.example/1.jpg' }
    ]
  }, false)
  t.match(text, `getUserMe

not loaded  https://cdn.example/1.mp3  getTrackUrl
not loaded  https://cdn.example/1.jpg  getTrackDetail
  Without a socket, only media of the app itself are loaded. To check these too`)
})
