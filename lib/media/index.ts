export { createSigner, type SignedQuery, type Signer, type SignerOptions } from './create-signer.ts'
export { mediaProxy, type MediaProxyOptions, type MediaUrl, type MediaUrlOptions } from './media-proxy.ts'
export type { MediaCall, MediaKind, MediaLocation } from './media-kind.ts'
export { withoutQueries } from './without-queries.ts'
