import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Milliseconds of wall time that a test may take without a reason. */
const limit = 1000

/** What may take longer, by its file, or by its file and titles. */
const reasons: Readonly<Record<string, RegExp>> = {
  'a browser':
    /^test\/(page\/|client\/browser)/,
  'a server or another process of its own':
    new RegExp(`^test/(operations/|create/|service\\.|redis\\.|subsonic-client/chain|serve/start-source|door/limit-tries|${[
      'app', 'accounts', 'outage', 'postgres-settings', 'subsonic', 'transcoding', 'rare-formats', 'backup',
      'monitoring/log-life', 'files/limit-shares', 'database/'
    ].map(name => `example/${name}`).join('|')})|> (PostgreSQL|Redis|promtool)\\b`),
  'ffmpeg makes audio':
    /^test\/media\/transcode/,
  'a product of many inputs, of which `npm test` tries a fifth':
    /^test\/((.+\/)?linear|subsonic-server\/(hostile|sync-patterns|matrix)|combine\/model|resilience\/)/,
  'the types or code of every document':
    /^test\/docs\.test/
}

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
    .filter(({ name, time }) => time > limit && !Object.values(reasons).some(reason => reason.test(name)))
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
