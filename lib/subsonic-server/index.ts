export { subsonic } from './subsonic.ts'
export type { LibraryLimits, SubsonicLibrary, SubsonicOptions } from './check-options.ts'
export type { ResolveLogin, SubsonicLogin } from './read-login.ts'
export { memoryStore, type SubsonicStore } from './memory-store.ts'
