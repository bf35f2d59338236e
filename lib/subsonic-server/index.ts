export { subsonic, subsonic as default } from './subsonic.ts'
export type { SubsonicOptions } from './subsonic-options.ts'
export type { ResolveLogin, SubsonicLogin } from './read-login.ts'
export type { SubsonicStore } from '../queue/index.ts'
