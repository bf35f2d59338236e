import type { AdapterMethod } from './operations.ts'

/** Old paths that answer 308 to the operation they are now (docs/reference/contract.md, Public routes). */
export const redirects: readonly { readonly path: string, readonly to: AdapterMethod }[] = Object.freeze([
  Object.freeze({ path: '/v1/track/fm', to: 'getRoamTracks' }),
  Object.freeze({ path: '/v1/track/lyric', to: 'getTrackLyrics' })
])
