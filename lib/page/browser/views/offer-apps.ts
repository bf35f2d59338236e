import { say } from '../state/notices.ts'
import { go, hrefOf } from '../state/route.ts'
import { askOwn } from '../state/session.ts'
import { text } from '../texts/index.ts'

/** Offers app passwords after the first sign-in with a provider. */
export async function offerApps (): Promise<void> {
  const { items, devices = [] } = await askOwn('GET app-passwords')
  if (items?.length !== 0 || devices.length > 1) return
  say(text('signedIn'), false, { label: text('useApp'), run: () => go(hrefOf('sources')) })
}
