import { isOwn } from '../state/own.ts'
import { accountOf, signIn, signInBeside, sources } from '../state/sources.ts'
import { text } from '../texts/index.ts'
import { closeDialog, openDialog } from './dialog.tsx'

/** A token in the place of the one that a source has. */
interface OtherToken {
  readonly url: string
  readonly token: string
  /** Of its account; `''` where the source tells none. */
  readonly name: string
  /** What signs in with it. */
  readonly label: string
}

/** Opens the question whether another account takes the place of that of a source. */
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
