export { createSubsonicAdapter } from './create-subsonic-adapter.ts'
export type { SubsonicAdapterOptions } from './subsonic-adapter.ts'
export { createSubsonicClient, type SubsonicClient } from './subsonic-client.ts'
export type { SubsonicClientOptions } from './client-options.ts'
