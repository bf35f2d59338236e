import { explain } from './state/explain.ts'
import { loadPart } from './state/load-part.ts'
import { say } from './state/notices.ts'
import { ownUrl } from './state/own.ts'
import { accountOf, connect, ownToken, session, signIn, takeTokenFromFragment } from './state/sources.ts'
import { text } from './texts/index.ts'

/**
 * Opens the source, with the token of the link that one came by. A token that is there already works on: the other one
 * is tried first, and asked about.
 */
export async function openWithLink (): Promise<void> {
  const token = takeTokenFromFragment()
  if (token === undefined || token === ownToken()) return connect()
  if (ownToken() === '') return signIn(token, ownUrl)
  try {
    const [name] = await Promise.all([accountOf(token), connect()])
    if (name === undefined) say(text('linkWrong'), true)
    else if (session.value === 'token') await signIn(token, ownUrl)
    else {
      const { openOther } = await loadPart(() => import('./later.ts'))
      await openOther({ url: ownUrl, token, name, label: text('linkTake') })
    }
  } catch (error) {
    say(explain(error), true)
  }
}
