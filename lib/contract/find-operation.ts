import { operations, type AdapterMethod, type Operation } from './operations.ts'

const byMethod = new Map(operations.map(operation => [operation.adapterMethod, operation]))

/** The row of the operations table that an adapter method answers. */
export const operationOf = (method: AdapterMethod): Operation => byMethod.get(method)!
