export { serveSource, serveSource as default } from './serve-source.ts'
export type { MediaOptions, ServeSourceOptions, SourceCall } from './serve-options.ts'
export { noteRunning } from './note-running.ts'
export { startSource, type StartSettings } from './start-source.ts'
