export { serveSource, serveSource as default } from './serve-source.ts'
export type { MediaOptions, ServeSourceOptions, SourceCall } from './serve-options.ts'
