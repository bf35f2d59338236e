// Writes the CommonJS file that `require` loads, and its types: the plugin with all named exports as its properties.
// TypeScript has no shorter way to export the types, so the names are read from the declarations of the entry file.

import { writeFileSync } from 'node:fs'
import ts from 'typescript'

const face = 'dist/lib/index.d.ts'
const program = ts.createProgram([face], { module: ts.ModuleKind.NodeNext, skipLibCheck: true })
const checker = program.getTypeChecker()
const resolve = symbol => symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
const is = (symbol, flags) => (resolve(symbol).flags & flags) !== 0

const members = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(face))).flatMap(symbol => {
  const { name } = symbol
  if (name === 'default' || name === 'sourceOrigin') return []
  return [
    ...is(symbol, ts.SymbolFlags.Value) ? [`  export const ${name}: typeof face.${name}`] : [],
    ...is(symbol, ts.SymbolFlags.Type) ? [`  export type ${name} = face.${name}`] : []
  ]
})

writeFileSync('dist/lib/require.cjs', "module.exports = require('./require.js')\n")
writeFileSync('dist/lib/require.d.cts', `import type * as face from './index.js' with { 'resolution-mode': 'import' }

declare function sourceOrigin (...args: Parameters<typeof face.sourceOrigin>): ReturnType<typeof face.sourceOrigin>
declare namespace sourceOrigin {
  export { sourceOrigin, sourceOrigin as default }
${members.join('\n')}
}
export = sourceOrigin
`)
