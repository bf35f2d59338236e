import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { sdkVersion } from 'fastify-source-origin'
import type { Report } from 'fastify-source-origin/check'
import { rules } from '../../lib/check/rules.ts'
import { runCommand } from '../../lib/check/run-check.ts'
import { listen, serve } from '../client/helper.ts'
import { buildReference, token } from '../reference-source.ts'
import { listenFaulty, type InjectFault } from './faulty-origin.ts'

/** Runs the command line; what it writes is kept. */
async function run (
  args: string[],
  { env = {}, isTTY = false, signal }: { env?: NodeJS.ProcessEnv, isTTY?: boolean, signal?: AbortSignal } = {}
) {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') =>
    ({ isTTY, write: (text: string | Uint8Array) => { written[name] += text; return true } })
  const status = await runCommand(
    args, { env, stdout: stream('stdout'), stderr: stream('stderr') }, async () => undefined, signal)
  return { status, ...written }
}

async function reference (t: Test) {
  const at = { origin: '' }
  at.origin = await listen(t, await buildReference({}, at))
  return at.origin
}

/** An open path, a member with characters of XML, and a track without lyrics. */
const faulty: InjectFault = async (asked, sound) => {
  const given = await sound()
  if (asked.path === '/v1/track/new' && given.status === 200) given.body.data[0]['<&">'] = 1
  if (asked.path.startsWith('/v1/artist/') && asked.token === 'none') given.status = 200
  if (asked.path === '/v1/status' && given.status === 200) given.body.data.capabilities.push('karaoke')
  return given
}

t.test('a sound source: exit status 0, a line for each operation, plain text', async t => {
  const url = await reference(t)
  const { status, stdout, stderr } = await run(['check', `${url}/v1/`, '--token', token])
  t.equal(status, 0)
  t.match(stderr, /^50 requests, now \w+\n100 requests, now \w+\n/)
  t.match(stdout, `${url}, checked by fastify-source-origin ${sdkVersion}\n\n`)
  t.match(stdout, /^ok {11}GET {2}\/v1\/track\/url +getTrackUrl$/m)
  t.match(stdout, /^not run {6}POST \/v1\/track\/favorite +favoriteTrack$/m)
  t.match(stdout, /\n\n30 ok, 9 not run\n$/)
  t.notMatch(stdout, '\u001b')
})

t.test('the token may be in SOURCE_API_TOKEN', async t => {
  t.equal((await run(['check', await reference(t)], { env: { SOURCE_API_TOKEN: token } })).status, 0)
})

t.test('findings: exit status 1, each with its place and what to do, the same of several operations once', async t => {
  const { status, stdout } = await run(['check', await listenFaulty(t, faulty), '--token', token])
  t.equal(status, 1)
  t.match(
    stdout,
    /^broken {2}member-unknown {2}getNewTracks\n {2}GET \/v1\/track\/new {2}\/data\/0\/<&">\n {2}Unexpected property\n/m
  )
  t.match(stdout, rules['member-unknown'].hint)
  t.match(stdout, [
    'broken  authorisation-missing  getTopArtists',
    '  GET /v1/artist/top without a token',
    '  answered 200',
    '  The same with getArtistDetail, getArtistTracks, getArtistAlbums, favoriteArtist',
    ''
  ].join('\n'))
  t.match(stdout, /24 ok, 1 warning, 6 broken, 8 not run\n$/)
})

t.test('warnings alone: exit status 0', async t => {
  const url = await listenFaulty(t, async (asked, sound) =>
    asked.path === '/covers/u1.png' ? { status: 404, headers: {}, body: '' } : sound())
  const { status, stdout } = await run(['check', url, '--token', token])
  t.equal(status, 0)
  t.match(stdout, /^warning {2}cover-status {2}getUserMe$/m)
})

t.test('warnings with --strict: exit status 1, and failures in the JUnit report', async t => {
  const url = await listenFaulty(t, async (asked, sound) =>
    asked.path === '/covers/u1.png' ? { status: 404, headers: {}, body: '' } : sound())
  const file = t.testdir() + '/report.xml'
  const { status } = await run(['check', url, '--token', token, '--only', 'user', '--strict', '--junit', file])
  t.equal(status, 1)
  const xml = await readFile(file, 'utf8')
  t.match(xml, 'failures="1"')
  t.match(xml, '<failure type="cover-status"')
  t.notMatch(xml, 'system-out')
})

t.test('a sound source with --strict: exit status 0', async t => {
  t.equal((await run(['check', await reference(t), '--token', token, '--only', 'album', '--strict'])).status, 0)
})

t.test('interrupted: exit status 130, and whether a change is left', async t => {
  const url = await reference(t)
  const signal = AbortSignal.abort(new Error('interrupted'))
  t.match(await run(['check', url, '--token', token], { signal }), {
    status: 130, stdout: '', stderr: 'source-origin: interrupted; the check left no change behind\n'
  })
})

t.test('a terminal gets colours and progress', async t => {
  const { stdout, stderr } =
    await run(['check', await reference(t), '--token', token, '--only', 'album'], { isTTY: true })
  t.match(stdout, '\u001b[32mok')
  t.match(stderr, '\r\u001b[2K1 status')
  t.ok(stderr.endsWith('\r\u001b[2K'))
})

t.test('NO_COLOR takes the colours off', async t => {
  const { stdout } = await run(['check', await reference(t), '--token', token, '--only', 'album'], {
    isTTY: true, env: { NO_COLOR: '1' }
  })
  t.notMatch(stdout, '\u001b')
})

t.test('--json: the report and nothing else', async t => {
  const url = await listenFaulty(t, faulty)
  const { status, stdout } =
    await run(['check', url, '--token', token, '--json', '--only', 'track, toplist', '--only=getUserMe'])
  const report: Report = JSON.parse(stdout)
  t.equal(status, 1)
  t.match(report, { outcome: 'broken', version: sdkVersion })
  t.match(report.findings.map(({ rule }) => rule), ['capability-unknown', 'member-unknown'])
  t.match(report.operations.map(({ operation }) => operation).slice(0, 4), [
    'serviceStatus', 'status', 'getToplist', 'getToplistTracks'
  ])
  t.equal(report.operations.at(-1)?.operation, 'getUserMe')
})

t.test('--junit: a test case for each operation', async t => {
  const file = t.testdir() + '/report.xml'
  const { status, stdout } = await run(['check', await listenFaulty(t, faulty), '--token', token, '--junit', file])
  t.equal(status, 1)
  t.match(stdout, 'member-unknown')
  const xml = await readFile(file, 'utf8')
  t.match(
    xml,
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuite name="source-origin check" tests="39" failures="6" skipped="8" errors="0">\n/
  )
  t.match(
    xml, '<failure type="member-unknown" message="Unexpected property">GET /v1/track/new\n/data/0/&lt;&amp;&quot;&gt;\n'
  )
  t.match(xml, /<system-out>capability-unknown\nGET \/v1\/status/)
  t.match(xml, '<skipped message="not run"/>')
  t.equal(xml.match(/<testcase /g)?.length, 39)
  t.equal(xml.match(/<\/testcase>/g)?.length, 39)
})

t.test('a file that cannot be written: exit status 2 after the report', async t => {
  const { status, stdout, stderr } = await run([
    'check', await reference(t), '--token', token, '--only', 'album', '--junit', t.testdir() + '/no/folder.xml'
  ])
  t.equal(status, 2)
  t.match(stdout, /ok, \d+ not run\n$/)
  t.match(stderr, /^source-origin: ENOENT.*\n$/m)
})

t.test('--help and --version', async t => {
  t.match(await run(['--help']), { status: 0, stdout: /^Usage: source-origin check \[url\]/ })
  t.match(await run(['check', '--version']), { status: 0, stdout: `${sdkVersion}\n` })
})

const usageErrors: [string[], RegExp][] = [
  [[], /expected: check \[url\]/],
  [['check'], /no source runs in this folder: start it, or give the url of one/],
  [['prove', 'http://x'], /expected: check \[url\]/],
  [['check', 'http://x', 'http://y'], /expected: check \[url\]/],
  [['check', 'music.example'], /must begin with http/],
  [['check', 'localhost:3000'], /must begin with http/],
  [['check', 'http://'], /baseUrl/],
  [['check', 'http://user:secret@x'], /without credentials/],
  [['check', 'http://x', '--tokn', 'secret'], /Unknown option '--tokn'/],
  [['check', 'http://x', '--token', 'secret\n'], /authorization/],
  [['check', 'http://x', '--timeout', 'soon'], /--timeout must be a whole number/],
  [['check', 'http://x', '--concurrency', '0'], /--concurrency must be a whole number/],
  [['check', 'http://x', '--only', 'tracks'], /no tag or operation tracks/]
]
for (const [args, message] of usageErrors) {
  t.test(`source-origin ${args.join(' ').trim()}: exit status 2, and why`, async t => {
    const { status, stdout, stderr } = await run(args)
    t.equal(status, 2)
    t.equal(stdout, '')
    t.match(stderr, message)
    t.notMatch(stderr, /secret|\n {4}at /)
  })
}

t.test('a host that refuses, a server that never answers, a refused token: exit status 2 and one line', async t => {
  const silent = await serve(t, () => {})
  for (const args of [['http://127.0.0.1:1'], [silent, '--timeout', '50'], [await reference(t), '--token', 'wrong']]) {
    const { status, stdout, stderr } = await run(['check', ...args])
    t.equal(status, 2)
    t.equal(stdout, '')
    t.match(stderr, /^source-origin: [^\n]+\n$/)
  }
})

t.test('the file that npx starts', async t => {
  const bin = fileURLToPath(new URL('../../lib/bin.ts', import.meta.url))
  t.match(await readFile(bin, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  const result = await new Promise<{ code?: unknown, stderr: string }>(resolve => {
    execFile(process.execPath, [...process.execArgv, bin, 'check', 'nowhere'], (error, _stdout, stderr) =>
      resolve({ code: error?.code, stderr }))
  })
  t.match(result, { code: 2, stderr: /source-origin: the url must begin with/ })
})
