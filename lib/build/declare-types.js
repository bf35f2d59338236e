// Writes the properties of the contract's data types into their declarations, with the descriptions of the schemas. So
// editors show meaning, unit and default. TypeScript alone writes only `Data<typeof TrackSchema>`.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const folder = new URL('../../dist/schemas/', import.meta.url)
const files = readdirSync(folder).filter(name => name.endsWith('.d.ts')).map(name => new URL(name, folder))
const modules = await Promise.all(files.map(file => import(file.href.replace(/\.d\.ts$/, '.js'))))
const schemas = Object.assign({}, ...modules)
const byId = new Map(Object.values(schemas).flatMap(schema => schema?.$id ? [[schema.$id, schema]] : []))

/** Returns the TypeScript type of a schema. Supports only the kinds of schemas that the contract's data uses. */
function typeOf ({ type, $ref, anyOf, items, const: value, properties, required }) {
  if ($ref !== undefined) return byId.get($ref).title
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ')
  if (value !== undefined) return `'${value}'`
  if (type === 'array') return `${typeOf(items)}[]`
  if (type === 'object') return `{\n${membersOf({ properties, required }).join('')}    }`
  const name = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' }[type]
  if (name === undefined) throw new Error(`No type is known for ${JSON.stringify({ type })}`)
  return name
}

function commentOf ({ description, $ref, default: value }) {
  const meaning = description ?? byId.get($ref).description
  return `/** ${meaning}${value === undefined ? '' : `. Default: ${JSON.stringify(value)}`}. */`
}

const membersOf = ({ properties, required = [] }) => Object.entries(properties).map(([name, schema]) => {
  const rest = required.includes(name) ? `: ${typeOf(schema)}` : `?: ${typeOf(schema)} | undefined`
  return `    ${commentOf(schema)}\n    ${name}${rest};\n`
})

const declaration = /^export interface \w+ extends Data<typeof (\w+)>, Resource \{\n(?=\}| {4}\[extras\])/gm
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(declaration, (found, name) =>
    `/** ${schemas[name].description}. */\n${found}${membersOf(schemas[name]).join('')}`))
}
