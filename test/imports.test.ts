import { build } from 'esbuild'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

const root = new URL('..', import.meta.url)

/** Files of a folder and what each imports, types too: paths from the root, or names of packages. */
async function importsOf (folder: string): Promise<[string, string[]][]> {
  const entries = await readdir(new URL(folder, root), { recursive: true })
  const files = entries.map(path => posix.join(folder, path.replaceAll('\\', '/'))).filter(path => /\.tsx?$/.test(path))
  return Promise.all(files.map(async (file): Promise<[string, string[]]> => {
    const { importedFiles } = ts.preProcessFile(await readFile(new URL(file, root), 'utf8'))
    return [file, importedFiles.map(({ fileName }) =>
      fileName.startsWith('.') ? posix.join(posix.dirname(file), fileName) : fileName)]
  }))
}

const imports = new Map((await Promise.all(['lib', 'schemas', 'example'].map(importsOf))).flat())

/** The commands, which nothing imports. */
const bin = 'lib/bin.ts'

/** The room of a file: `lib/reply`, `schemas`, or `lib` for a file of lib itself. The commands are a room above all. */
const roomOf = (file: string) => file === bin ? bin : /^(?:lib|example)\/[^/]+(?=\/)|^[^/]+/.exec(file)![0]

/** Rooms of small things that every room may use. They know the contract and each other. */
const tools = ['lib/async', 'lib/errors', 'lib/text', 'lib/options', 'lib/tracing']

/** The rooms of the example. Each may import from the ones before it. */
const ofExample = [
  'start', 'text', 'files', 'database', 'server', 'scan', 'playlists', 'lyrics', 'catalogue', 'index', 'monitoring',
  'media', 'source', 'others', 'state', 'services', 'accounts'
].map(room => `example/${room}`)

/** The rooms that a room may import from, besides itself and the tools. */
const allowed: Record<string, readonly string[]> = {
  schemas: [],
  'lib/contract': ['schemas'],
  ...Object.fromEntries(tools.map(tool => [tool, ['lib/contract', 'schemas']])),
  'lib/plays': ['lib/contract', 'schemas'],
  'lib/queue': ['lib/contract', 'schemas'],
  'lib/source': ['lib/plays', 'lib/contract', 'schemas'],
  'lib/reply': ['lib/source', 'lib/contract', 'schemas'],
  'lib/request': ['lib/reply', 'lib/source', 'lib/contract', 'schemas'],
  'lib/routes': ['lib/queue', 'lib/request', 'lib/reply', 'lib/source', 'lib/contract', 'schemas'],
  lib: ['lib/routes', 'lib/request', 'lib/reply', 'lib/source', 'lib/plays', 'lib/contract', 'schemas'],
  'lib/client': ['lib/contract', 'schemas'],
  'lib/check': ['lib/client', 'lib/contract', 'lib/library', 'schemas'],
  'lib/accounts': ['lib/contract', 'schemas'],
  'lib/oidc': ['lib/accounts', 'lib/contract', 'schemas'],
  'lib/upstream': ['lib', 'lib/contract', 'schemas'],
  'lib/cache': ['lib/source', 'lib/contract', 'schemas'],
  'lib/library': ['lib/source', 'lib/contract', 'schemas'],
  'lib/combine': ['lib/client', 'lib/library', 'lib/contract', 'schemas'],
  'lib/media': ['lib/reply', 'lib/contract', 'schemas'],
  'lib/subsonic-server': [
    'lib/library', 'lib/media', 'lib/routes', 'lib/request', 'lib/reply', 'lib/source', 'lib/plays', 'lib/queue',
    'lib/contract', 'schemas'
  ],
  'lib/subsonic-client': ['lib/library', 'lib/media', 'lib/upstream', 'lib/contract', 'schemas'],
  'lib/subsonic': ['lib/subsonic-server', 'lib/subsonic-client'],
  'lib/metrics': ['lib/contract', 'schemas'],
  'lib/protection': ['lib/contract', 'schemas'],
  'lib/page': [
    'lib/accounts', 'lib/oidc', 'lib/client', 'lib/check', 'lib/media', 'lib/routes', 'lib/request', 'lib/reply',
    'lib/source', 'lib/plays', 'lib/queue', 'lib/library', 'lib', 'lib/contract', 'schemas'
  ],
  'lib/serve': [
    'lib/accounts', 'lib/cache', 'lib/protection', 'lib/media', 'lib/subsonic-server', 'lib/page', 'lib/routes',
    'lib/reply', 'lib/queue',
    'lib', 'lib/contract', 'schemas'
  ],
  'lib/create': [],
  [bin]: ['lib/check', 'lib/create', 'lib/serve'],
  'example/subsonic': [],
  ...Object.fromEntries(ofExample.map((room, at) => [room, ofExample.slice(0, at)])),
  example: ofExample
}

t.test('rooms import only from the rooms below them', async t => {
  const upwards = [...imports].flatMap(([file, targets]) => targets
    .filter(target => imports.has(target))
    .filter(target => ![roomOf(file), ...tools, ...allowed[roomOf(file)] ?? []].includes(roomOf(target)))
    .map(target => `${file} -> ${target}`))
  t.strictSame(upwards, [])
})

/**
 * Files by which a room is used: `index.ts`, and in rooms that the package offers `internal.ts`, for what other rooms
 * use besides. Of the tools, the contract and the schemas each file is one, and the commands run those of their rooms.
 */
const isFace = (target: string, room: string) =>
  [...tools, ...ofExample, 'lib/contract', 'schemas', 'lib', bin].includes(room) || /^(?:index|internal)\.ts$/.test(target.slice(room.length + 1))
const commands = ['lib/check/run-check.ts', 'lib/create/run-new.ts', 'lib/serve/running-source.ts']

t.test('rooms import each other by their faces only', async t => {
  const inner = [...imports].flatMap(([file, targets]) => targets
    .filter(target => imports.has(target) && roomOf(target) !== roomOf(file) && !isFace(target, roomOf(target)))
    .filter(target => !(file === bin && commands.includes(target)))
    .map(target => `${file} -> ${target}`))
  t.strictSame(inner, [])
})

/** The layers of the page, from below. */
const layers = ['state', 'parts', 'views']

t.test('the state of the page imports neither parts nor views, and parts no views', async t => {
  const layerOf = (file: string) => layers.indexOf(/^lib\/page\/browser\/(\w+)\//.exec(file)?.[1] ?? '')
  const upwards = [...imports].flatMap(([file, targets]) => targets
    .filter(target => layerOf(file) >= 0 && layerOf(target) > layerOf(file)).map(target => `${file} -> ${target}`))
  t.strictSame(upwards, [])
})

t.test('the contract imports nothing but itself and the schemas', async t => {
  const foreign = [...imports].filter(([file]) => roomOf(file) === 'lib/contract')
    .flatMap(([file, targets]) => targets.filter(
      target => !['lib/contract', 'schemas', '@sinclair'].includes(roomOf(target))
    )
      .map(target => `${file} -> ${target}`))
  t.strictSame(foreign, [])
})

t.test('what every room may use imports each other, the contract and the schemas only', async t => {
  const below = [...tools, 'lib/contract', 'schemas']
  for (const [file, targets] of imports) {
    if (!tools.includes(roomOf(file))) continue
    const isBelow = (target: string) => below.includes(roomOf(target))
    t.strictSame(targets.filter(target => imports.has(target) && !isBelow(target)), [], file)
  }
})

t.test('every import of a file finds it', async t => {
  const missing = [...imports].flatMap(([file, targets]) => targets
    .filter(target => /^(lib|schemas|example)\/.*\.tsx?$/.test(target) && !imports.has(target)).map(target =>
      `${file} -> ${target}`))
  t.strictSame(missing, [])
})

t.test('no file imports itself by way of others', async t => {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (path.includes(file) || done.has(file)) return
    for (const target of imports.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  t.strictSame(circles, [])
})

t.test('a start of the example loads nothing that is not always used', async t => {
  const entry = 'example/serve-folder.ts'
  const rare = ['pg', 'ioredis', 'undici', 'sharp', 'prom-client', 'music-metadata', 'jschardet']
  const { metafile: { inputs } } = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [entry],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source-origin-dev'],
    external: ['fastify', 'sharp', 'node-sqlite3-wasm', '@fastify/*']
  })
  const loaded = new Set([entry])
  for (const file of loaded) {
    for (const { path, kind } of inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') loaded.add(path)
  }
  t.ok(loaded.has('example/index/music-folder.ts'))
  const isRare = (file: string) => /^lib\/(page|upstream|subsonic-client|check)\//.test(file) ||
    rare.some(name => file === name || file.includes(`node_modules/${name}/`))
  t.strictSame([...loaded].filter(isRare), [])
})

t.test('each half of /subsonic loads without the other', async t => {
  const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  const reached = (half: string) => {
    const files = new Set([posix.normalize(exports[`./subsonic/${half}`]['source-origin-dev'])])
    for (const file of files) for (const target of imports.get(file) ?? []) files.add(target)
    return [...new Set([...files].map(roomOf))].filter(room => room.startsWith('lib/subsonic'))
  }
  t.strictSame(reached('client'), ['lib/subsonic-client'])
  t.strictSame(reached('server'), ['lib/subsonic-server'])
})

t.test('what benches, campaigns and CI load of the build is made of a file that is there', async t => {
  const files = ['test/bench', 'test/campaigns', '.ci'].flatMap(folder =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`))
    .filter(file => /^(?!.*node_modules).*\.(?:js|ts|sh)$/.test(file))
  const named = files.flatMap(file => [...readFileSync(new URL(file, root), 'utf8')
    .matchAll(/\bdist\/((?:example|lib)\/[\w/-]+)\.js|\bbuilt\('([\w/-]+)\.js'/g)]
    .map(([, path, built]) => ({ file, source: `${path ?? `example/${built}`}.ts` })))
  t.ok(named.length > 10)
  t.strictSame(named.filter(({ source }) => !existsSync(new URL(source, root))), [])
})

/** Whether what an `import(…)` gives is used by its member `default` alone. */
function usesDefault (call: ts.Node): boolean {
  let node = call.parent
  while (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) || ts.isAwaitExpression(node) ||
    ts.isParenthesizedExpression(node)) {
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'default') return true
    node = node.parent
  }
  return ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) &&
    node.name.elements.every(({ propertyName }) => propertyName?.getText() === 'default')
}

t.test('a package that is not an ES module is imported dynamically by its default, all that bundlers name', async t => {
  const wrong: string[] = []
  for (const file of imports.keys()) {
    if (file.startsWith('lib/page/browser/')) continue
    const source = ts.createSourceFile(
      file, await readFile(new URL(file, root), 'utf8'), ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit)
      if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return
      const [name] = node.arguments
      const packageName = /^(?:@[^/]+\/)?[^./#][^/]*/.exec(name && ts.isStringLiteral(name) ? name.text : '')?.[0]
      const path = new URL(`node_modules/${packageName}/package.json`, root)
      if (packageName === undefined || !existsSync(path)) return
      const isModule = JSON.parse(readFileSync(path, 'utf8')).type === 'module'
      if (!isModule && !usesDefault(node)) wrong.push(`${file}: ${node.getText()}`)
    }
    visit(source)
  }
  t.strictSame(wrong, [])
})
