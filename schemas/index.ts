import * as resources from './resources.ts'

export { schemaName, wireSchema } from './common.ts'
export * from './resources.ts'

/** Every named schema of the contract, as adapters answer it. */
export const schemas = Object.values(resources)
