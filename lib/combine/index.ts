export { combineSources, type CombineOptions } from './combine-sources.ts'
export { isForeign } from './combined-ids.ts'
export type { CombinedSource } from './asked-source.ts'
export type { MissingSource } from './gather.ts'
