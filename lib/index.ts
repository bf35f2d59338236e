export { sourceOrigin, sourceOrigin as default, createSourceRouter } from './source-origin.ts'
export type { SourceOriginOptions } from './routes/source-origin-options.ts'
export type { SourceAdapter } from './contract/source-adapter.ts'
export type { FavoriteItem, PlaylistEdit, ScanStatus, SourceChanges, SourceExtras } from './contract/source-extras.ts'
export type { RequestContext, SourceContext } from './contract/source-context.ts'
export type { AnswerCache } from './source/answer-cache.ts'
export type { ContextRequest, ResolveContext } from './request/resolve-context.ts'
export type { ChannelMessages, TracedCall } from './tracing/channels.ts'
export { operations, type AdapterMethod, type Operation } from './contract/operations.ts'
export { capabilities, type Capability } from './contract/capabilities.ts'
export { inferCapabilities } from './source/infer-capabilities.ts'
export {
  errors, SourceError, BadRequestError, UnauthorizedError, NotFoundError, UnplayableError, RateLimitedError,
  UnsupportedFeatureError, UpstreamError, TimeoutError, type SourceErrorOptions
} from './contract/errors.ts'
export { tokenMatches } from './token-matches.ts'
export { sdkVersion } from './sdk-version.ts'
export { openApiDocument, type OpenApiDocument } from './routes/open-api-document.ts'
export * from '../schemas/index.ts'
