export { createSourceClient, type SourceClient, type SourceClientOptions } from './create-source-client.ts'
export { capabilities, type Capability } from '../capabilities.ts'
export { operations, type AdapterMethod, type Operation } from '../operations.ts'
export {
  errors, SourceError, BadRequestError, UnauthorizedError, NotFoundError, UnplayableError, RateLimitedError,
  UnsupportedFeatureError, UpstreamError, TimeoutError, type SourceErrorOptions
} from '../errors.ts'
export type { SourceAdapter } from '../source-adapter.ts'
export type * from '../../schemas/index.ts'
