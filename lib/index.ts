export { sourceOrigin, sourceOrigin as default, createSourceRouter } from './source-origin.ts'
export type { SourceOriginOptions } from './check-options.ts'
export type { ContextRequest, ResolveContext, SourceAdapter, SourceContext } from './source-adapter.ts'
export { operations, type AdapterMethod, type Operation } from './operations.ts'
export { capabilities, type Capability } from './capabilities.ts'
export { inferCapabilities } from './infer-capabilities.ts'
export {
  errors, SourceError, BadRequestError, UnauthorizedError, NotFoundError, UnplayableError, RateLimitedError,
  UnsupportedFeatureError, UpstreamError, TimeoutError, type SourceErrorOptions
} from './errors.ts'
export { tokenMatches } from './token-matches.ts'
export { sdkVersion } from './sdk-version.ts'
export { openApiDocument } from './open-api-document.ts'
export * from '../schemas/index.ts'
