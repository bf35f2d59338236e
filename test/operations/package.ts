import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TObject } from '@sinclair/typebox'
import t from 'tap'
import ts from 'typescript'
import * as schemas from '../../schemas/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

// The package as npm would publish it, in a folder of its own, run without tap's loaders and coverage and without our
// condition.
const environment = { ...process.env, NODE_OPTIONS: '', _TAPJS_PROCESSINFO_COVERAGE_: '0' }
const folder = t.testdir({ 'package.json': '{ "type": "module" }' })
const node = (...args: string[]) => run(process.execPath, args, { cwd: folder, env: environment })
const npm = (cwd: string, ...args: string[]) =>
  run('npm', args, { cwd, env: environment, shell: process.platform === 'win32' })

// Packing builds, and a test must not change the tree that others read: it happens in a copy.
const copy = join(folder, 'copy')
const isSource = (path: string) => !/^(node_modules|dist|test|data|\..*)$/.test(path)
for (const path of (await readdir(root)).filter(isSource)) {
  await cp(join(root, path), join(copy, path), { recursive: true })
}
await mkdir(join(copy, 'node_modules'))
for (const name of await readdir(join(root, 'node_modules'))) {
  await symlink(
    name === 'fastify-source-origin' ? copy : join(root, 'node_modules', name), join(copy, 'node_modules', name)
  )
}

const { stdout } = await npm(copy, 'pack', '--json', '--pack-destination', folder)
const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
await npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`, 'fastify', 'kysely@0.28', 'typescript@6',
  '@types/node@20')

const paths: string[] = files.map(({ path }: { path: string }) => path)
const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const subpaths = Object.keys(exports).filter(path => !path.endsWith('.json')).map(path =>
  `fastify-source-origin${path.slice(1)}`)

t.test('the tarball holds what users need, and nothing else', async t => {
  const known =
    /^dist\/(lib|schemas)\/.+\.(c?js|d\.c?ts)$|^dist\/lib\/create\/templates\/|^docs\/.+\.(md|webp|json|yml)$/
  const rest = paths.filter(path => !known.test(path))
  const texts = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md']
  t.strictSame(rest.sort(), [...texts, 'openapi.json', 'package.json'])
})

t.test('every link of a document and every document that a docstring names is in the tarball', async t => {
  for (const path of paths.filter(path => /\.(md|ts)$/.test(path))) {
    const text = await readFile(join(folder, 'node_modules/fastify-source-origin', path), 'utf8')
    const links = path.endsWith('.md')
      ? [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => posix.join(posix.dirname(path), target!))
      : text.match(/docs\/[\w/-]+\.md/g) ?? []
    t.strictSame(links.filter(link => !paths.includes(link)), [], path)
  }
})

const ask = `
  const app = require('fastify')()
  app.register(plugin, { resolveContext: () => null })
  app.inject('/status').then(response => console.log(response.body))`

t.test('import gives the plugin', async t => {
  const { stdout, stderr } = await node('--input-type=module', '--eval', `
    import { createRequire } from 'node:module'
    import plugin, { sourceOrigin } from 'fastify-source-origin'
    if (plugin !== sourceOrigin) throw new Error('Two plugins')
    const require = createRequire(import.meta.url)${ask}`)
  t.match(stdout, '"status":"online"')
  t.equal(stderr, '')
})

t.test('require gives the plugin', async t => {
  const { stdout } =
    await node('--input-type=commonjs', '--eval', `const plugin = require('fastify-source-origin')${ask}`)
  t.match(stdout, '"status":"online"')
})

t.test('the OpenAPI document is in the package', async t => {
  const { stdout } = await node(
    '--input-type=commonjs', '--eval', 'console.log(require(\'fastify-source-origin/openapi.json\').openapi)'
  )
  t.equal(stdout.trim(), '3.1.0')
})

t.test('the types of every subpath work for import and require, of client and check in a browser too', async t => {
  const body = `
    const adapter: SourceAdapter = {
      async getTrackUrl (id, quality) { return { url: id, quality: quality ?? 'best' } },
      searchTracks: (keyword, offset, limit) => ({ items: [], offset, limit, hasMore: keyword.length > 0 })
    }
    // @ts-expect-error a number is no title
    adapter.getTrackDetail = async () => ({ id: '1', title: 1, artists: [], album: { id: '', name: '', coverUrl: '' }, durationMs: 0 })
    const app = fastify()
    app.register(sourceOrigin, { resolveContext: ({ authorization }) => authorization ? { adapter, stateless: false } : null })
    app.register(createSourceRouter({ resolveContext: async () => null, prefix: '/music' }))
    app.get('/mine', async request => request.sourceContext?.accountName)
    new errors.NotFoundError('x').status satisfies number
    // @ts-expect-error resolveContext is required
    app.register(sourceOrigin, {})\n`
  const names = 'sourceOrigin, { createSourceRouter, errors, type SourceAdapter }'
  await writeFile(join(folder, 'esm.ts'), `
    import fastify from 'fastify'
    import ${names} from 'fastify-source-origin'${body}`)
  await writeFile(join(folder, 'cjs.cts'), `
    import fastify = require('fastify')
    import sourceOrigin = require('fastify-source-origin')
    type SourceAdapter = sourceOrigin.SourceAdapter
    const { createSourceRouter, errors } = sourceOrigin${body}`)
  await writeFile(join(folder, 'imports.cts'), `
    import fastify from 'fastify'
    import ${names} from 'fastify-source-origin'${body}`)
  const imports = subpaths.map((name, index) => `import * as _${index} from '${name}'\nconsole.log(_${index})\n`)
    .join('')
  for (const file of ['subpaths.ts', 'subpaths.cts']) await writeFile(join(folder, file), imports)
  await writeFile(join(folder, 'client.ts'), `
    import { createSourceClient, NotFoundError, type SourceAdapter, type Track } from 'fastify-source-origin/client'
    import { checkSource, type Report } from 'fastify-source-origin/check'
    const client = createSourceClient({ baseUrl: 'http://127.0.0.1:1', authorization: 'token' })
    const adapter: SourceAdapter = client
    const track: Promise<Track> = client.getTrackDetail('1')
    // @ts-expect-error an id is a string
    client.getTrackDetail(1).catch(() => {})
    track.catch(error => { if (error instanceof NotFoundError) throw error })
    // @ts-expect-error there must be something to check
    checkSource({}).catch(() => {})
    const report: Promise<Report> = checkSource({ client })
    report.then(({ findings }) => console.log(findings, adapter))\n`)
  const tsc = ['node_modules/typescript/bin/tsc', '--ignoreConfig', '--noEmit', '--strict', '--target', 'es2023']
  const all = ['esm.ts', 'cjs.cts', 'imports.cts', 'client.ts', 'subpaths.ts', 'subpaths.cts']
  await node(...tsc, '--types', 'node', '--module', 'nodenext', ...all)
  await node(...tsc, '--types', 'node', '--module', 'node18', 'cjs.cts', 'imports.cts', 'subpaths.ts')
  // As for a browser.
  await node(
    ...tsc, '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,dom', '--skipLibCheck', 'client.ts'
  )
})

t.test('an editor shows of each type and member of the data what its schema says, with the default', async t => {
  const types = Object.entries(schemas).filter(([name]) => /^[A-Z].*Schema$/.test(name)).map(([name, schema]) =>
    ({ name: name.slice(0, -'Schema'.length), schema: schema as TObject }))
  const file = join(folder, 'hover.ts')
  const text = 'import type * as source from \'fastify-source-origin\'\n' + types.map(({ name, schema }, index) =>
    `declare const _${index}: source.${name}\n` +
    Object.keys(schema.properties).map(member => `_${index}.${member}\n`).join('')).join('')
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ module: ts.ModuleKind.NodeNext, strict: true, exactOptionalPropertyTypes: true }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot (name) {
      const known = name === file ? text : ts.sys.readFile(name)
      return known === undefined ? undefined : ts.ScriptSnapshot.fromString(known)
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile
  })
  const shown = (place: string) =>
    ts.displayPartsToString(service.getQuickInfoAtPosition(file, text.indexOf(`${place}\n`) + place.length - 1)?.documentation)
  const meanings = new Map(types.map(({ schema }) => [schema.$id, schema.description]))
  t.ok(types.length > 20, `${types.length} types`)
  t.strictSame(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText), [])
  for (const [index, { name, schema }] of types.entries()) {
    t.equal(shown(`_${index}: source.${name}`), `${schema.description}.`)
    for (const [member, { description, $ref, default: value }] of Object.entries(schema.properties)) {
      const meaning = description ?? meanings.get($ref)
      const byDefault = value === undefined ? '' : `. Default: ${JSON.stringify(value)}`
      t.equal(shown(`_${index}.${member}`), `${meaning}${byDefault}.`, `${name}.${member}`)
      t.ok(meaning)
    }
  }
})

t.test('the source of the README runs as it stands', async t => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const snippet = /```js\n(\/\/ server\.mjs\n[^]*?)```/.exec(readme)![1]!
  await writeFile(join(folder, 'server.mjs'), snippet)
  const server = spawn(process.execPath, ['server.mjs'], {
    cwd: folder, env: { ...environment, PORT: '0', SOURCE_API_TOKEN: 'choose-one' }
  })
  t.teardown(async () => {
    server.kill()
    await once(server, 'exit')
  })
  let address: string | undefined
  for await (const line of createInterface(server.stdout)) {
    address = /Server listening at (http:\/\/127[^"]+)/.exec(line)?.[1]
    if (address) break
  }
  const get = async (path: string) =>
    (await fetch(address + path, { headers: { authorization: 'choose-one' } })).json() as Promise<any>
  t.match((await get('/v1/status')).data.capabilities, ['newTracks', 'songDetail', 'songUrl', 'streaming'])
  t.match((await get('/v1/track?id=prelude')).data, { title: 'Prelude in C', qualities: [] })
  t.match(await get('/v1/track?id=none'), { code: 404, message: 'Track not found: none' })
  t.equal((await fetch(`${address}/v1/status`)).status, 401)
  t.match((await fetch(`${address}/`)).headers.get('content-type'), /^text\/html/)
})

t.test('every subpath loads with require', async t => {
  const { stdout } = await node('--no-warnings', '--input-type=commonjs', '--eval', `
    for (const name of ${JSON.stringify(subpaths)}) console.log(name, Object.keys(require(name)).length > 0)`)
  t.strictSame(stdout.trim().split('\n'), subpaths.map(name => `${name} true`))
})

t.test('source-origin is a command', async t => {
  const { stdout } = await npm(folder, 'exec', '--no', '--', 'source-origin', '--version')
  t.match(stdout, /^\d+\.\d+\.\d+\n$/)
})
