// Exports for other folders of lib that the package does not export.

export { createConnections } from './ask-upstream.ts'
export { CoverScaler, type Cover } from './cover-scaler.ts'
export { downloadKinds, type DownloadKind, type DownloadUrl } from './download-url.ts'
export { endResponses } from './end-responses.ts'
export { typesOf } from './media-types.ts'
export { isTranscodeFormat } from './transcode/ffmpeg.ts'
export { openWhole } from './transcode/open-whole.ts'
export { sendTranscoded, transcodingKeptFor } from './transcode/send-transcoded.ts'
export { findOwnMedia } from './own-media.ts'
export { withoutMediaHeaders } from './send-media-error.ts'
export { mediaHeaders, type ReadyKind, sendMedia } from './send-media.ts'
export { serializerWithoutQuery } from './without-queries.ts'
