// npm run api [-- --check]: writes test/api-report.md, the public types of the package as they are built, so that a
// change of them is seen in review. With --check it fails when that file is out of date.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = new URL('api-report.md', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const entries = Object.entries(exports).flatMap(([subpath, target]) => {
  const types = (target.default ?? target).types ?? target.types
  return types === undefined ? [] : [[`fastify-source-origin${subpath.slice(1)}`, root + types.slice(2)]]
})

const options = { module: ts.ModuleKind.NodeNext, skipLibCheck: true }
const program = ts.createProgram(entries.map(([, path]) => path), options)
const checker = program.getTypeChecker()
const printer = ts.createPrinter({ removeComments: true })

const isOurs = declaration => declaration.getSourceFile().fileName.startsWith(`${root}dist/`)
const resolve = symbol => symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** What is printed of a declaration: the whole statement of a variable. */
const statementOf = node => ts.isVariableDeclaration(node) ? node.parent.parent : node
const isTopLevel = node => statementOf(node).parent?.kind === ts.SyntaxKind.SourceFile

const print = node => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
  .replace(/^(export )?(declare )?/, '')
  .replace(/import\("[^"]+"\)\./g, '')
  .replace(/\[\s+([^[\]{}]*?)\s*\]/g, (_, items) => `[${items.replace(/\s+/g, ' ')}]`)

/** Our symbols in the order in which they are found, with those that their declarations name. */
const reached = new Set()
function reach (symbol) {
  if (reached.has(symbol) || !symbol.declarations?.every(isOurs)) return
  reached.add(symbol)
  for (const declaration of symbol.declarations) visit(declaration)
}
function visit (node) {
  if (ts.isIdentifier(node)) {
    const symbol = checker.getSymbolAtLocation(node)
    if (symbol !== undefined && resolve(symbol).declarations?.some(isTopLevel)) reach(resolve(symbol))
  }
  ts.forEachChild(node, visit)
}

const textOf = symbol => [...new Set(symbol.declarations.map(statementOf))].map(print).join('\n')
const block = texts => `\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`
const shown = new Set()

const sections = entries.map(([name, path]) => {
  const found = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)))
  const lines = found.map(symbol => {
    const target = resolve(symbol)
    reach(target)
    const alias = symbol.name === target.name ? '' : `${symbol.name} = `
    if (!isOurs(target.declarations[0])) return `${symbol.name}: from a dependency`
    if (shown.has(target)) return `${alias}${target.name}: as above`
    shown.add(target)
    return `${alias}${textOf(target)}`
  })
  return `## ${name}\n\n${block(lines.sort())}`
})

const rest = [...reached].filter(symbol => !shown.has(symbol)).map(textOf).sort()
const files = new Set([...reached].flatMap(symbol => symbol.declarations.map(node => node.getSourceFile())))
const augmentations = [...files].flatMap(({ statements }) => statements)
  .filter(node => ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)).map(print).sort()

const report = `# Public types

Written by \`npm run api\` after a build. A change of this file is a change of the public face.

${sections.join('\n')}
## What they refer to

${block(rest)}
## What they add to other packages

${block(augmentations)}`

if (!process.argv.includes('--check')) {
  writeFileSync(file, report)
} else if (readFileSync(file, 'utf8') !== report) {
  console.error('The public types have changed: npm run api writes test/api-report.md, which belongs to the commit.')
  process.exitCode = 1
}
