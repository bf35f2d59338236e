import { closeDialog, openDialog } from './parts/dialog.tsx'
import { explain } from './state/explain.ts'
import { say } from './state/notices.ts'
import { ownUrl } from './state/own.ts'
import { connect, isKnown, ownToken, session, signIn, takeTokenFromFragment } from './state/sources.ts'
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
    const [known] = await Promise.all([isKnown(token), connect()])
    if (!known) say(text('linkWrong'), true)
    else if (session.value === 'token') await signIn(token, ownUrl)
    else openDialog(text('linkOther'), () => <OtherToken token={token} />)
  } catch (error) {
    say(explain(error), true)
  }
}

function OtherToken ({ token }: { token: string }) {
  const change = () => {
    closeDialog()
    signIn(token, ownUrl)
  }
  return (
    <div class='form'>
      <p>{text('linkAsk')}</p>
      <span class='actions'>
        <button type='button' class='button' data-first onClick={closeDialog}>{text('linkKeep')}</button>
        <button type='button' class='button primary' onClick={change}>{text('linkTake')}</button>
      </span>
    </div>
  )
}
