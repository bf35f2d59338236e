export { createSourceClient, type SourceClient } from './create-source-client.ts'
export type { OfferedOptions, OfferedSource } from './offered-source.ts'
export type { SourceClientOptions } from './connection.ts'
export { capabilities, type Capability } from '../contract/capabilities.ts'
export { operations, type AdapterMethod, type Operation } from '../contract/operations.ts'
export {
  errors, SourceError, BadRequestError, UnauthorizedError, NotFoundError, UnplayableError, RateLimitedError,
  UnsupportedFeatureError, UpstreamError, TimeoutError, type SourceErrorOptions
} from '../contract/errors.ts'
export type { SourceAdapter } from '../contract/source-adapter.ts'
export type * from '../../schemas/index.ts'
