import type { TSchema } from '@sinclair/typebox'
import { operations } from 'fastify-source-origin'
import { schemasOf } from '../../lib/contract/schemas-of.ts'
import { schemaName } from '../../schemas/common.ts'

const typeOf = ({ type, anyOf, const: literal }: TSchema): string =>
  anyOf ? anyOf.map(typeOf).join(' | ') : literal !== undefined ? `'${literal}'` : type === 'integer' ? 'number' : type

const rangeOf = ({ minimum, maximum }: TSchema) => maximum === undefined ? '' : ` (${minimum} to ${maximum})`

/** The text in lines that fit behind ` * `. */
const wrap = (text: string) => text.match(/.{1,110}(?= |$)/g)!.map(line => line.trim())

/** The text of lib/contract/source-adapter.ts, so that editors show names and meanings of the parameters. */
export function declareSourceAdapter (): string {
  const methods = operations.map(({ adapterMethod, parameters }) => {
    const { summary, description, data, parameters: { properties, required } } = schemasOf(adapterMethod)
    const isOptional = (name: string) => !required!.includes(name) && properties[name]!.default === undefined
    const args = parameters.map(name => `${name}${isOptional(name) ? '?' : ''}: ${typeOf(properties[name]!)}`)
    const lines = [
      `${summary}.`,
      ...wrap(description),
      ...parameters.length === 0 ? [] : [''],
      ...parameters.map(name => `@param ${name} ${properties[name]!.description}${rangeOf(properties[name]!)}`)
    ]
    const result = `Answered<${schemaName(data)}>`
    const signature = `  ${adapterMethod}? (${args.join(', ')}): ${result} | Promise<${result}>\n`
    const broken = `  ${adapterMethod}? (\n    ${args.join(', ')}\n  ): ${result} | Promise<${result}>\n`
    return `  /**\n${lines.map(line => `   * ${line}`.trimEnd()).join('\n')}\n   */\n${signature.length > 120 ? broken : signature}`
  })
  const types = [
    ...new Set(operations.map(({ adapterMethod }) => schemaName(schemasOf(adapterMethod).data).replace('[]', '')))
  ].sort()
  const data = operations.map(({ adapterMethod }) =>
    `  ${adapterMethod}: ${schemaName(schemasOf(adapterMethod).data)}\n`)
  return `// Generated from the operations table and the schemas: change those, then npm run generate.
import type {
  ${types.join(', ').replace(/(.{1,112})(?:, |$)/g, '$1,\n  ').trim().replace(/,$/, '')}
} from '../../schemas/index.ts'
import type { Answered } from './answered.ts'
import type { SourceExtras } from './source-extras.ts'

/**
 * The object that a source project writes. Every method is optional: an operation without its method answers 501, and
 * clients see that in the capabilities. Arguments have their defaults filled in; an optional one that is absent is
 * \`undefined\`. Methods are called on the adapter (\`this\`). They throw the classes of \`errors\`, or any error with a
 * \`status\` or \`statusCode\`.
 *
 * @see docs/reference/adapter.md
 */
export interface SourceAdapter extends SourceExtras {
${methods.join('\n')}}

/** The data of each operation, as clients receive it. */
export interface OperationData {
${data.join('')}}
`
}
