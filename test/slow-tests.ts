import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Milliseconds of wall time that a test may take without a reason. */
const limit = 1000

/** The reasons to take longer, with the prefixes of the paths and titles that have them. */
const reasons: Readonly<Record<string, readonly string[]>> = {
  'a browser': ['page/', 'client/browser.'],
  'a server or a process of its own': [
    'operations/', 'create/', 'service.', 'accounts/replicas.', 'check/interrupt.', 'check/run-check.',
    'protection/limit-logins.', 'serve/start-source.', 'subsonic-client/chain.', 'example/app.', 'example/accounts.',
    'example/backup.', 'example/database/', 'example/files/limit-shares.', 'example/monitoring/keep-logging.',
    'example/monitoring/log-life.', 'example/outage.', 'example/postgres-settings.', 'example/scan/file-workers.',
    'example/subsonic.',
    // A process that reads files is ended with the library, and the next one is started.
    ...[
      'a first scan that a restart cuts in two', 'a library is closed at once',
      'a library that is closed in the middle of a scan', 'no other process can lock an index'
    ].map(title => `example/index/music-folder.test.ts > ${title}`)
  ],
  'ffmpeg makes audio': ['media/transcode', 'example/rare-formats.', 'example/transcoding'],
  'a product of many inputs': [
    'linear', 'cache/model.', 'check/linear.', 'combine/model.', 'example/albums.test.ts > the rules of albums',
    'example/costs.', 'example/incremental.', 'example/limits.test.ts > an account that sees a genre',
    'example/linear', 'example/text/linear.', 'resilience/', 'subsonic-server/hostile-values.',
    'subsonic-server/matrix.', 'subsonic-server/sync-patterns.'
  ],
  'a check of all operations': [
    'check/check-source.', 'check/checks/check-writes.', 'combine/check.',
    'example/state.test.ts > SQLite > the conformance check', 'subsonic-client/round-trip.'
  ],
  'more bytes than the system holds for a connection': [
    'media/abort.test.ts > a client that does not read', 'subsonic-server/long-answers.test.ts > a long answer'
  ],
  '64 MB of a huge file are read': [
    'example/index/music-folder.test.ts > a huge file', 'example/scan/read-audio-file.test.ts > of a file of 1 GB'
  ],
  'the types and the code of all documents': ['docs.']
}
const exempt = Object.values(reasons).flat().map(path => `test/${path}`)
/** The title of a test, or of one around it, that has a service of its own. */
const ofService = /> (PostgreSQL|Prometheus|Redis|promtool)\b/
const mayTakeLonger = (name: string) => ofService.test(name) || exempt.some(path => name.startsWith(path))

/**
 * Returns the tests that took more than a second and have no reason to, slowest first, each as
 * `<seconds> s <file> > <title>`.
 *
 * @param results the folder with the TAP output of each process
 */
export function slowTests (results: string): string[] {
  return readdirSync(results, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.tap'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .flatMap(path => [...testsIn(readFileSync(path, 'utf8'), fileOf(path.slice(results.length + 1)))])
    .filter(({ name, time }) => time > limit && !mayTakeLonger(name))
    .sort((a, b) => b.time - a.time)
    .map(({ name, time }) => `${(time / 1000).toFixed(1)} s ${name}`)
}

/** The test file whose output this is; none for a group, whose tests are the files. */
function fileOf (path: string): string[] {
  const file = path.split(sep).join('/').replace(/\.tap$/, '')
  return file.includes('groups/') ? [] : [file]
}

/** Reads the tests that contain no others: the result of one that contains some follows theirs, indented less. */
function * testsIn (output: string, above: readonly string[]): Generator<{ name: string, time: number }> {
  const titles: string[] = []
  let depthBefore = 0
  for (const [, indent, begun, title, time] of
    output.matchAll(/^((?: {4})*)(?:# Subtest: (.*)|(?:not )?ok \d+ - (.*?) # time=([\d.]+)ms.*)$/gm)) {
    const depth = indent!.length / 4
    titles.splice(depth, Infinity, begun ?? title!)
    const contains = depth < depthBefore
    if (begun === undefined && !contains) yield { name: [...above, ...titles].join(' > '), time: Number(time) }
    depthBefore = depth
  }
}
