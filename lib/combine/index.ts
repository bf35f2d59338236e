export { combineSources, type CombineOptions } from './combine-sources.ts'
export {
  createSourceLibrary, type SourceLibraryOptions, type StoredSourceLibrary
} from './create-source-library.ts'
export { pathThrough } from './path-through.ts'
export { isExternalId } from './combined-ids.ts'
export type { CombinedSource } from './namespaced-source.ts'
export type { MissingSource } from './gather.ts'
export { SourceStates, type SourceStatus } from './source-states.ts'
