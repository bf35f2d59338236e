export { sourceOrigin, sourceOrigin as default, createSourceRouter } from './source-origin.ts'
export { openApiDocument, type OpenApiDocument, type SourceOriginOptions } from './routes/index.ts'
export { applyEdit, type AppliedEdit } from './contract/apply-edit.ts'
export type { SourceAdapter } from './contract/source-adapter.ts'
export type {
  FavoriteItem, PlayCount, PlayEvent, PlaylistEdit, PlaylistShare, PlaylistSharing, ScanStatus, SourceChanges,
  SourceExtras
} from './contract/source-extras.ts'
export type {
  LibraryCall, LibraryComposer, LibraryFacets, LibraryGenre, LibraryItems, LibraryKind, LibraryQuery, LibrarySort,
  RandomIds, SourceLibrary
} from './contract/source-library.ts'
export type { AccountLimits, RequestContext, SourceContext } from './contract/source-context.ts'
export { type ResponseCache, inferCapabilities } from './source/index.ts'
export type { ContextRequest, ResolveContext } from './request/index.ts'
export type { ChannelMessages, TracedCall } from './tracing/channels.ts'
export { operations, type AdapterMethod, type Operation } from './contract/operations.ts'
export { capabilities, type Capability } from './contract/capabilities.ts'
export {
  errors, SourceError, BadRequestError, UnauthorizedError, NotFoundError, UnplayableError, RateLimitedError,
  UnsupportedFeatureError, UpstreamError, TimeoutError, type SourceErrorOptions
} from './contract/errors.ts'
export {
  limitConcurrency, type ConcurrencyLimit, type ConcurrencyLimits, type LimitedRun
} from './async/limit-concurrency.ts'
export { createYield, type Yield } from './async/create-yield.ts'
export { playThreshold, duplicatePlayWindow } from './plays/internal.ts'
export { tokenMatches } from './text/token-matches.ts'
export { sdkVersion } from './text/sdk-version.ts'
export * from '../schemas/index.ts'
