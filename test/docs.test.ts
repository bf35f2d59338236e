import { execFile, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TObject } from '@sinclair/typebox'
import t from 'tap'
import ts from 'typescript'
import { parse } from 'yaml'
import { errors, operations } from 'fastify-source-origin'
import { checkSource, createSourceClient } from 'fastify-source-origin/check'
import { schemasOf } from '../lib/contract/schemas-of.ts'
import { ownParameters } from '../lib/page/page-parameters.ts'
import { blocks, documents, readDocument, type Block } from './doc-blocks.ts'
import { freePort } from './service.ts'

// Every code block of README.md and docs/ is run or at least read here. What is done depends on its language:
//
//   js, ts      Runs as a module of its own, ts after a check of its types. It imports the package by its name. It has
// to end by itself,               or to listen on PORT; then the check must find nothing, and it is ended.
//   sh          Must be correct bash, and what it names must exist: programs, npm scripts, packages, files, settings.
// json, yaml  Must be correct.   text, mermaid    Only shown.   others    test/operations/ runs them.
//
// The check looks at each server, with some thousand items if `sizes` knows the block.
//
// A block in another language fails. A comment on the line before a block, which readers of the page do not see,
// changes that:
//
//   <!-- asks /music/status -->    the path that is asked for instead of /status
//   <!-- not run: why -->          its syntax and types are checked, but it is not run
//   <!-- the file src/adapter.ts of the template upstream -->    it is that file, which has tests of its own

const root = fileURLToPath(new URL('..', import.meta.url))
const execute = promisify(execFile)
const handled = [
  'js', 'ts', 'sh', 'json', 'yaml', 'text', 'mermaid', 'nginx', 'haproxy', 'apache', 'caddy', 'vcl',
  'systemd', 'logrotate'
]
const shared = { PATH: process.env.PATH, HOME: process.env.HOME }

const ofLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language))
const templateFile = /^the file (\S+) of the template (\S+)$/
const modules = ofLanguage('js', 'ts').filter(({ mark }) => !templateFile.test(mark)).map((block, index) =>
  ({ ...block, name: `block-${index}/block.${block.language === 'ts' ? 'ts' : 'mjs'}` }))

const token = 'choose-a-long-random-token'
/** Replacements in the code of blocks that make their data large. */
const sizes: [text: string, large: string][] = [
  ["['One', 'Two'].map", "Array.from({ length: 3000 }, (_, at) => 'Song ' + at).map"],
  ['artists, album, durationMs: 10_200 }]', `artists, album, durationMs: 10_200 }].flatMap(track =>
    Array.from({ length: 3000 }, (_, at) => ({ ...track, id: track.id + at })))`],
  ['console.log(library.ids(', `
const words = ['Dawn', '10 Songs', 'Élan', 'the End', 'Zoo']
for (let at = 2; at < 40; at++) add('artist', 'r' + at, words[at % 5] + at, 10)
for (let at = 20; at < 400; at++) {
  const artist = [Math.floor(at / 10)].flatMap(of => ['r' + of, words[of % 5] + of])
  const name = words[at % 4] + at
  add('album', 'a' + at, name, ...artist, 1960 + at % 60, Date.now() - at * 1000, 10, 1800)
  for (let track = 1; track <= 10; track++) {
    const genre = words[at % 3]
    const guest = 2 + at % 38
    const by = track === 10 ? ['r' + guest, words[guest % 5] + guest] : artist
    add('track', 't' + at + '-' + track, 'Song', ...by, 'a' + at, name, track, genre, foldText(genre),
      1960 + at % 60, 180, Date.now())
  }
}
const [{ default: fastify }, { default: serveSource }] =
  await Promise.all([import('fastify'), import('fastify-source-origin/serve')])
const app = fastify()
await app.register(serveSource, { resolveContext: () => ({ adapter: { library } }) })
await app.listen({ port: process.env.PORT })
console.log(library.ids(`]
]
for (const block of modules) for (const [text, large] of sizes) block.code = block.code.replace(text, () => large)

const folder =
  t.testdir(Object.fromEntries(modules.map(({ name, code }) => [dirname(name), { [basename(name)]: code }])))

t.test('every size is of a block', async t => {
  t.strictSame(sizes.filter(([, large]) => !modules.some(({ code }) => code.includes(large))).map(([text]) => text), [])
})

t.test('every block is in a language that this test handles', async t => {
  t.strictSame(
    blocks.filter(({ language }) => !handled.includes(language)).map(({ place, language }) => `${place} ${language}`),
    []
  )
})

t.test('every mark is one that this test knows', async t => {
  const unknown = blocks.filter(({ mark }) => mark !== '' && !/^(?:asks \/\S*|not run: .+)$/.test(mark) && !templateFile.test(mark))
  t.strictSame(unknown.map(({ place, mark }) => `${place} ${mark}`), [])
})

t.test('the types of every ts block are right', async t => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, noEmit: true }, root)
  const files = modules.filter(({ language }) => language === 'ts').map(({ name }) => join(folder, name))
  const program = ts.createProgram(files, options)
  const problems = files.flatMap(file => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
  t.strictSame(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')), [])
})

for (const { place, mark, code } of blocks) {
  const [, file, template] = templateFile.exec(mark) ?? []
  if (file === undefined) continue
  t.test(`${place} is ${mark}`, async t => {
    t.equal(code, await readFile(join(root, 'lib/create/templates', template!, file), 'utf8'))
  })
}

t.test('the guide to a real source has all its files: 150 lines at most, less than a third plumbing', async t => {
  const inGuide = blocks.filter(({ document }) => document === 'docs/guide/a-real-source.md')
    .flatMap(({ mark, code }) => {
      const file = templateFile.exec(mark)?.[1]
      return file === undefined ? [] : [{ file, lines: code.split('\n').length - 1 }]
    })
  const files = await readdir(join(root, 'lib/create/templates/upstream/src'))
  const written = files.filter(file => !/^music-|\.test\.ts$/.test(file)).map(file => `src/${file}`)
  t.strictSame(inGuide.map(({ file }) => file).sort(), written.sort())
  const sum = (counted: typeof inGuide) => counted.reduce((sum, { lines }) => sum + lines, 0)
  const plumbing = inGuide.filter(({ file }) => ['src/build-app.ts', 'src/server.ts'].includes(file))
  t.ok(sum(inGuide) <= 150, `${sum(inGuide)} lines`)
  t.ok(sum(plumbing) * 3 < sum(inGuide), `${sum(plumbing)} lines of plumbing`)
})

/** Starts a process that runs blocks, and another one after a crash. */
function blockProcesses () {
  let running: { child: ChildProcess, crashed: Promise<never> } | undefined
  t.teardown(() => running?.child.kill('SIGKILL'))
  function start () {
    let errors = ''
    const child = fork(new URL('run-blocks.js', import.meta.url), {
      execArgv: ['--conditions=source-origin-dev', `--import=${new URL('strip-types.js', import.meta.url).href}`],
      env: { ...shared, SOURCE_API_TOKEN: token },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc']
    })
    child.stderr!.setEncoding('utf8').on('data', text => { errors += text })
    const crashed = once(child, 'close').then(([code]) => {
      running = undefined
      throw new Error(`${code} ${errors}`)
    })
    crashed.catch(() => {})
    return { child, crashed }
  }
  /** Runs a block until it ends, or until its server has been checked. @returns the findings */
  return async ({ name, mark, code }: Block & { name: string }): Promise<string[] | undefined> => {
    const { child, crashed } = running ??= start()
    const port = await freePort()
    const next = () => Promise.race([crashed, once(child, 'message').then(([message]) => message)])
    child.send({ file: join(folder, name), port })
    if (await next() === 'ended') return undefined
    const baseUrl = `http://localhost:${port}${/^asks (.*)\/status$/.exec(mark)?.[1] ?? ''}`
    const client = createSourceClient({ baseUrl, authorization: token })
    const { findings } = await checkSource({ client, write: true }).finally(() => child.send({}))
    await next()
    // Documents name hosts and files that do not exist, and show parts of a source. Some have no accounts.
    const isOpen = code.includes('resolveContext: () =>')
    return findings.filter(({ rule, message }) => !/^(?:nothing-found|audio-status|cover-status)$/.test(rule) &&
      !/answered 502|no valid answer/.test(message) && !(isOpen && /^authorisation|-open$/.test(rule)))
      .map(({ rule, operation, message }) => `${rule} ${operation}: ${message}`)
  }
}

// Timers that a server leaves open must not delay the end of other blocks.
const [runToEnd, runServer] = [blockProcesses(), blockProcesses()]
for (const block of modules) {
  t.test(`${block.place} ${block.mark.startsWith('not run') ? 'can be read' : 'runs'}`, async t => {
    if (block.mark.startsWith('not run')) {
      if (block.language === 'js') await execute(process.execPath, ['--check', join(folder, block.name)])
      return
    }
    if (block.code.includes('process.env.PORT')) t.strictSame(await runServer(block), [])
    else t.equal(await runToEnd(block), undefined)
  })
}

const settings = [...(await readFile(join(root, '.env.example'), 'utf8')).matchAll(/^(?:# )?([A-Z_]+)=/gm)]
  .map(([, name]) => name!)
const { name: ownName, scripts, bin, ...manifest } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const { dependencies } = JSON.parse(await readFile(join(root, 'example/package.json'), 'utf8'))
const packages = [ownName, ...Object.keys({ ...manifest.devDependencies, ...manifest.dependencies, ...dependencies })]
const programs = ['cd', 'npm', 'npx', 'node', 'curl', 'docker']

/** What a shell block names and does not exist. */
function unknownNames ({ code, document }: Block): string[] {
  const commands = code.replace(/\\\n/g, ' ').split(/\n|&&|\|\||;|\|/)
    .map(command => command.replace(/(?:^|\s)#.*/, '').trim()).filter(Boolean)
  const files = blocks.filter(block => block.document === document).map(({ code }) =>
    /^\/\/ (\S+\.m?[jt]s)\b/.exec(code)?.[1])
  const unknown = [...code.matchAll(/\b([A-Z][A-Z_]{2,})=|\$\{?([A-Z_]+)/g)].map(([, set, read]) => set ?? read!)
    .filter(name => !settings.includes(name))
  for (const command of commands) {
    const [program = '', ...rest] = command.replace(/^(?:\w+=\S*\s+)+/, '').split(/\s+/)
    const [first = '', second = ''] = rest.filter(argument => !argument.startsWith('-'))
    if (!programs.includes(program)) unknown.push(program)
    else if (program === 'npm' && first === 'run' && !(second in scripts)) unknown.push(command)
    else if (program === 'npm' && first === 'install') {
      unknown.push(...rest.slice(1).filter(name =>
        !name.startsWith('-') && !packages.includes(name)))
    } else if (program === 'npm' && !(first === 'run' || first in scripts)) unknown.push(command)
    else if (program === 'npx' && !(first in bin)) unknown.push(command)
    else if (program === 'node' && !files.includes(first) && !ts.sys.fileExists(join(root, first))) {
      unknown.push(command)
    }
  }
  return unknown
}

for (const block of ofLanguage('sh')) {
  t.test(`${block.place} is bash, and what it names exists`, async t => {
    await execute('bash', ['-n', '-c', block.code])
    t.strictSame(unknownNames(block), [])
  })
}

for (const { place, language, code } of ofLanguage('json', 'yaml')) {
  t.test(`${place} is ${language}`, async () => language === 'json' ? JSON.parse(code) : parse(code))
}

t.test('the settings of the example are all in its document, and no others', async t => {
  const named = [...(await readDocument('docs/operations/folder-source.md')).matchAll(/^\| `([A-Z_]+)` \|/gm)]
    .map(([, name]) => name!)
  t.strictSame(named.filter(name => name !== 'NODE_ENV').sort(), settings.sort())
})

t.test('the list of exports has every one, and no other', async t => {
  const document = await readDocument('docs/reference/exports.md')
  const [, table = '', listed = ''] = document.split('\n## ')
  const named = new Map<string, string[]>()
  let path = ''
  for (const [, cell = '', values = ''] of table.matchAll(/^\|(.*?)\|(.*?)\|.*\|$/gm)) {
    path = /`(.*)`/.exec(cell)?.[1] ?? path
    named.set(path, [...named.get(path) ?? [], ...[...values.matchAll(/`(\w+)`/g)].map(([, name]) => name!)])
  }
  const classes = Object.keys(errors)
  const ofSchemas = [...listed.matchAll(/`(\w+Schema)`/g)].map(([, name]) => name!)
  for (const [path, names] of named) {
    if (path === '') continue
    const module = await import(path.startsWith('/') ? `${ownName}${path}` : path)
    const all = new Set([
      ...names, ...path === '/client' ? classes : [], ...path === ownName ? ofSchemas : []
    ])
    const exported = Object.keys(module).filter(name => name !== 'default' && name !== 'module.exports')
    const defaults = names.filter(name => module.default === module[name] || module.default?.name === name)
    t.strictSame([...all].filter(name => !defaults.includes(name)).sort(),
      exported.filter(name => !defaults.includes(name)).sort(), path)
  }
  const paths = Object.keys(manifest.exports).filter(path => !path.endsWith('.json'))
    .map(path => path === '.' ? ownName : path.slice(1))
  t.strictSame([...named.keys()].filter(path => path !== '').sort(), paths.sort())
})

t.test('the guide to Subsonic names every method', async t => {
  const [, table = ''] = (await readDocument('docs/reference/subsonic.md')).split('### Methods\n')
  const named = table.split('\n### ')[0]!.matchAll(/`([\w.]+)`/g)
  const folder = join(root, 'lib/subsonic-server/methods')
  const files = (await readdir(folder)).filter(file => file.endsWith('-methods.ts'))
  const modules = await Promise.all(files.map(file => import(join(folder, file))))
  const methods = modules.flatMap(module => Object.entries(module))
    .flatMap(([name, value]) => name.endsWith('Methods') ? Object.keys(value as object) : [])
  // Two are answered in another way than these.
  const others = ['getOpenSubsonicExtensions', 'getTranscodeDecision']
  t.strictSame([...named].map(([, name]) => name).sort(), [...new Set([...methods, ...others])].sort())
})

t.test('the guide to the page has every route of its own, with its parameters', async t => {
  const document = await readDocument('docs/reference/page.md')
  const rows = [...document.matchAll(/^\| ((?:`(?:GET|POST) page\/[\w/-]+`(?:, )?)+) \| (.*?) ?\| .+\|$/gm)]
  t.strictSame(
    rows.flatMap(([, names, list]) => [...names!.matchAll(/`(\w+) page\/([\w/-]+)`/g)]
      .map(([, method, path]) => `${method} ${path}: ${list}`)).sort(),
    Object.entries<TObject>(ownParameters).map(([name, { properties, required = [] }]) => {
      const isSent = (member: string) => required.includes(member) && properties[member]!.default === undefined
      return `${name}: ${Object.keys(properties).map(member => isSent(member) ? member : `${member}?`).join(', ')}`
    }).sort())
})

t.test('the adapter guide says of every method what its schemas say', async t => {
  const rows = [
    ...(await readDocument('docs/reference/adapter.md')).matchAll(/^\| `(\w+)\((.*)\)`( \*\*S\*\*)? \| (.*?) \| .+ \|$/gm)
  ].map(([, ...cells]) => cells)
  t.strictSame(rows, operations.map(({ adapterMethod, parameters: names, stateful }) => {
    const { description, parameters } = schemasOf(adapterMethod)
    const isOptional = (name: string) =>
      !parameters.required!.includes(name) && parameters.properties[name]!.default === undefined
    return [
      adapterMethod, names.map(name => isOptional(name) ? `${name}?` : name).join(', '),
      stateful ? ' **S**' : undefined, description
    ]
  }))
})

t.test('a link to a file leads to one', async t => {
  const broken: string[] = []
  for (const document of new Set([
    'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...blocks.map(({ document }) => document)
  ])) {
    for (const [, target] of (await readDocument(document)).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      const file = join(root, dirname(document), target!)
      if (!ts.sys.fileExists(file) && !ts.sys.directoryExists(file)) broken.push(`${document} ${target}`)
    }
  }
  t.strictSame(broken, [])
})

t.test('a long document begins with its contents', async t => {
  for (const document of documents) {
    const text = await readDocument(document)
    if (text.split('\n').length <= 280) continue
    const [head = '', ...sections] = text.replace(/```[^]*?```/g, '').split(/^## /m)
    const [, contents = ''] = head.split('**Contents**: ')
    t.strictSame(
      contents.split(/ ·\s/).map(entry => /^\[([^\]]*)\]\(#.+\)\s*$/.exec(entry)?.[1]),
      sections.map(section => section.split('\n')[0]), document)
  }
})

t.test('every column of a table has a header', async t => {
  for (const document of documents) {
    const tables = (await readDocument(document)).matchAll(/^(\|.*\|)\n\|(?: ?:?-+:? ?\|)+$/gm)
    const heads = [...tables].map(([, head = '']) => head)
    t.strictSame(heads.filter(head => /\|\s*\|/.test(head)), [], document)
  }
})

t.test('each number of limits.md stands on the page that it links to', async t => {
  const rows = [...(await readDocument('docs/reference/limits.md'))
    .matchAll(/^\| [^|]+ \| ([^|]+?) \| \[[^\]]+\]\(([^)#]+)[^)]*\) \|$/gm)]
  t.ok(rows.length > 30)
  for (const [row, value, page] of rows) {
    const [number, unit = ''] = value!.split(' ')
    const text = await readDocument(join('docs/reference', page!))
    const isThere = text.includes(value!) || (/^(?:ms|characters)?$/.test(unit) && new RegExp(`\\b${number}\\b`).test(text))
    t.ok(isThere, row)
  }
})

t.test('documents have fewer phrases that one reads twice', async t => {
  const phrase = /\b(?:that of|those of|whoever|so many|anew|in the place of|told|what (?:is|was|has|they|it))\b/gi
  const texts = await Promise.all([...documents, 'CONTRIBUTING.md', 'SECURITY.md'].map(readDocument))
  const count = texts.reduce((sum, text) => sum + (text.match(phrase)?.length ?? 0), 0)
  t.ok(count <= 17, `${count}: write what you add in plain English, and lower this number when you mend some`)
})

t.test('the index leads to every document, once', async t => {
  const links = [...(await readDocument('docs/README.md')).matchAll(/\]\(([^)#]+)/g)].map(([, target]) =>
    join('docs', target!))
  const others = documents.filter(document => document !== 'docs/README.md')
  t.strictSame(links.sort(), [...others, 'CHANGELOG.md', 'CONTRIBUTING.md'].sort())
})

t.test('the codes of errors and warnings are all in their document, and no others', async t => {
  const codesOf = (text: string) =>
    [...new Set([...text.matchAll(/SOURCE_ORIGIN_(?:ERR|WARN)_[A-Z_]+/g)].map(([code]) => code))].sort()
  const library = join(root, 'lib')
  const files = (await readdir(library, { recursive: true })).filter(name => name.endsWith('.ts'))
  const texts = await Promise.all(files.map(name => readFile(join(library, name), 'utf8')))
  t.strictSame(codesOf(await readDocument('docs/reference/errors.md')), codesOf(texts.join()))
})
