// Loaded before every test: runs TypeScript by leaving the types out, which Node 20 cannot do, and which takes later
// versions a fifth of the start of a test, since they keep nothing for the next process.

import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const cache = new URL('../node_modules/.cache/strip-types/', import.meta.url)

// Node 20 runs hooks in a thread of their own, which all its threads share.
if (module.registerHooks) module.registerHooks({ load, resolve })
else module.register(import.meta.url)

/**
 * tap follows every promise and callback to the test that made it, which takes a fifth of the time of all tests.
 * Without that an error that nobody handles ends the process of its test file, with its stack: it fails as well.
 */
const followsEverything = /\/async-hook-domain\/dist\/[^/]+\/index\.js$/
const followsNothing = 'export class Domain { destroy () {} }'

const ownName = 'fastify-source-origin'
/**
 * The process that reads files imports three functions of the package. To load Fastify and the schemas with them takes
 * more than half of its start, and the build omits both.
 */
const readsFiles = /\/example\/(files|scan)\/[^/]+\.ts$/

/** Hook of Node's module loader. No other one is asked for an ES module, since those of tap work in a thread. */
export function load (url, context, nextLoad) {
  const isTypeScript = /^file:[^?]*\.ts(\?|$)/.test(url)
  if (!isTypeScript && !(context.format === 'module' && url.startsWith('file:'))) return nextLoad(url, context)
  const text = followsEverything.test(url) ? followsNothing : readFileSync(fileURLToPath(url), 'utf8')
  const source = isTypeScript ? withoutTypes(text) : text
  return { format: 'module', source: url.endsWith('?in-group') ? withOwnTest(source, url) : source, shortCircuit: true }
}

/**
 * Leads the imports of a module with `?mocks=` to what a test gives in their place (see mock-import.ts), and those of
 * the process that reads files to the files that it needs.
 */
export function resolve (specifier, context, nextResolve) {
  if (specifier.startsWith(ownName) && readsFiles.test(context.parentURL)) {
    const url = fileOf(specifier, context.parentURL)
    if (url !== undefined) return { url, format: 'module', shortCircuit: true }
  }
  const given = context.parentURL?.split('?mocks=')[1]
  const { key, names } = given === undefined ? {} : JSON.parse(new URLSearchParams(`mocks=${given}`).get('mocks'))
  if (names === undefined || !Object.hasOwn(names, specifier)) return nextResolve(specifier, context)
  const exports = names[specifier]
  const mock = `globalThis.mocks.get('${key}')[${JSON.stringify(specifier)}]`
  const code = exports === null
    ? `throw ${mock}`
    : `const mock = ${mock}\n${exports.map(name => `export ${name === 'default' ? 'default' : `const ${name} =`} mock.${name}`).join('\n')}`
  return { url: `data:text/javascript,${encodeURIComponent(code)}`, format: 'module', shortCircuit: true }
}

/** Returns the file from which the package re-exports what a module imports of it, if one file has all of that. */
function fileOf (specifier, importer) {
  const face = new URL(`../lib${specifier.slice(ownName.length)}/index.ts`, import.meta.url)
  const [, imported] = readFileSync(fileURLToPath(importer), 'utf8')
    .match(new RegExp(`^import \\{([^}]*)\\} from '${specifier}'`, 'm')) ?? []
  const names = namesIn(imported ?? '')
  const [, , file] = [...readFileSync(face, 'utf8').matchAll(/^export \{([^}]*)\} from '([^']*)'/gm)]
    .find(([, exported]) => names.length > 0 && names.every(name => namesIn(exported).includes(name))) ?? []
  return file && new URL(file, face).href
}

/** The names between braces that are no types. */
const namesIn = list => list.split(',').map(name => name.trim()).filter(name => /^(?!type )./.test(name))

/** Each file of a group (see group.js) imports a module of its own in place of tap. */
const withOwnTest = (source, url) =>
  source.replace(/ from 'tap'$/m, ` from '${new URL(`tap-of-file.js?${encodeURIComponent(url)}`, import.meta.url)}'`)

/** Kept for the next processes: every test file has one of its own. */
function withoutTypes (text) {
  const file = new URL(`${hash('sha256', text)}.js`, cache)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  const { code } = require('amaro').transformSync(text, { mode: 'strip-only' })
  mkdirSync(cache, { recursive: true })
  // The same text may be written twice at once: whoever reads must not see half of it.
  const draft = new URL(randomUUID(), cache)
  writeFileSync(draft, code)
  renameSync(draft, file)
  return code
}
