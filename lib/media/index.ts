export {
  createCoverScaler, type Cover, type CoverScalerOptions, type CoverStore, type ScaleCover
} from './cover-scaler.ts'
export { createSigner, type SignedQuery, type Signer, type SignerOptions } from './create-signer.ts'
export type { FileCall, FileKind } from './file-kind.ts'
export { mediaProxy, type MediaProxyOptions, type MediaUrl, type MediaUrlOptions } from './media-proxy.ts'
export type { MediaCall, MediaKind, MediaLocation } from './media-kind.ts'
export { KeptFiles, type KeptFilesOptions } from './kept-files.ts'
export { isOpenInside, openFile, type OpenFile, type Opened } from './open-file.ts'
export { readPart, sendFile, type ReadableFile } from './send-file.ts'
export { audioTypeOf } from '../text/media-type-of.ts'
export { withoutQueries } from './without-queries.ts'
export {
  createTranscoder, type Transcoder, type TranscoderOptions, type Transcoding
} from './transcode/create-transcoder.ts'
export { bitrateOf, type TranscodeFormat, type TranscodeProfile } from './transcode/ffmpeg.ts'
export { readTranscoding, transcodedUrl, type TranscodedPart } from './transcode/transcoded-url.ts'
export type { TranscodeInput } from './transcode/run-ffmpeg.ts'
