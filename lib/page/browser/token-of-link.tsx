import { withLater } from './parts/with-later.ts'
import { hasProvider } from './state/configuration.ts'
import { explain } from './state/explain.ts'
import { loadPart } from './state/load-part.ts'
import { say } from './state/notices.ts'
import { ownUrl } from './state/own.ts'
import { tokenOfBrowser } from './state/parked-accounts.ts'
import { ownToken } from './state/saved-sources.ts'
import { accountOf, connect, session } from './state/session.ts'
import { signIn } from './state/sign-in.ts'
import { takeTokenFromFragment } from './state/typed.ts'
import { text } from './texts/index.ts'

/**
 * Opens the source with the token of the link. A token that is already stored stays valid: the new one is tested first,
 * and the user is asked.
 */
export async function openWithLink (): Promise<void> {
  const token = takeTokenFromFragment()
  if (token === undefined || token === ownToken()) return connect()
  if (ownToken() === '') {
    await signIn(token, ownUrl)
    if (hasProvider) withLater(parts => parts.offerApps())
    return
  }
  try {
    const [known] = await Promise.all([accountOf(token), connect()])
    // A one-time link is valid only for the exchange.
    const made = known === undefined ? (await tokenOfBrowser(token, ownUrl)).token : token
    const name = known ?? (made === token ? undefined : await accountOf(made))
    if (name === undefined) say(text('linkWrong'), true)
    else if (session.value === 'token') await signIn(made, ownUrl)
    else {
      const { openOther } = await loadPart(() => import('./later.ts'))
      await openOther({ url: ownUrl, token: made, name, label: text('linkTake') })
    }
  } catch (error) {
    say(explain(error), true)
  }
}
