import { isOwn } from '../state/own.ts'
import { sources } from '../state/saved-sources.ts'
import { accountOf } from '../state/session.ts'
import { signIn, signInBeside } from '../state/sign-in.ts'
import { text } from '../texts/index.ts'
import { closeDialog, openDialog } from './dialog.tsx'

/** A token that may replace the stored token of a source. */
interface OtherToken {
  readonly url: string
  readonly token: string
  /** The name of its account; `''` if the source does not report it. */
  readonly name: string
  /** A description of the device or app of the token. */
  readonly label: string
}

/** Shows a dialog about replacing the account of a source by another one. */
export async function openOther ({ url, token, name: other, label }: OtherToken): Promise<void> {
  const { token: known, account } = sources.value.find(known => known.url === url)!
  const name = await accountOf(known, url).catch(() => '') || account
  const change = () => {
    closeDialog()
    if (isOwn({ url })) signInBeside(token)
    else signIn(token, url)
  }
  openDialog(text('linkOther'), () => (
    <div class='form'>
      <p>{name && other ? text('linkAskNames', { name, other }) : text('linkAsk')}</p>
      <p>{isOwn({ url }) ? text('linkParks', { name: name || text('account') }) : text('linkLoses')}</p>
      <span class='actions'>
        <button type='button' class='button' data-first onClick={closeDialog}>{text('linkKeep')}</button>
        <button type='button' class='button primary' onClick={change}>{label}</button>
      </span>
    </div>
  ))
}
