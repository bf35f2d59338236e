import type { Settings } from '../start/settings.ts'
import { lastFm } from './lastfm.ts'
import { listenBrainz } from './listenbrainz.ts'
import type { Services } from './service-client.ts'

/** Returns the services that the settings enable. */
export const openServices = ({ LISTENBRAINZ_URL, LASTFM_URL, LASTFM_API_KEY, LASTFM_SECRET }: Settings): Services =>
  new Map([
    ['listenbrainz', listenBrainz(LISTENBRAINZ_URL)],
    ...LASTFM_API_KEY === '' ? [] : [['lastfm', lastFm(LASTFM_URL, LASTFM_API_KEY, LASTFM_SECRET)] as const]
  ])
