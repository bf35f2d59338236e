import { Fragment, type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { HouseholdAccount, HouseholdLink } from '../../own-answers.ts'
import { CopyField } from '../parts/copy-button.tsx'
import { closeDialog, openDialog } from '../parts/dialog.tsx'
import { LimitFields, limitsIn } from '../parts/limit-fields.tsx'
import { typedIn } from '../parts/small.tsx'
import { TokenList } from '../parts/token-list.tsx'
import { change } from '../state/account-lists.ts'
import { pageUrl } from '../state/configuration.ts'
import { explain } from '../state/explain.ts'
import { say } from '../state/notices.ts'
import { go, hrefOf } from '../state/route.ts'
import { askOwn, idOf, source } from '../state/sources.ts'
import { text } from '../texts/index.ts'

interface PersonProps {
  readonly account: HouseholdAccount
  readonly genres: readonly string[]
  readonly again: () => void
  /** Shows a message in the list of accounts. */
  readonly report: (message: string) => void
}

/** Shows a link for one sign-in. No list shows it later. */
export const showLink = ({ name, token, link }: HouseholdLink): void => openDialog(name, () => (
  <div class='form'>
    <p>{text('linkOnce', { name })}</p>
    <CopyField label={text('link')} value={link ?? `${pageUrl}#token=${encodeURIComponent(token)}`} />
  </div>
))

/** The limits, tokens and removal of one account. */
export function Person ({ account: { name, isOwner, limits, tokens }, genres, again, report }: PersonProps) {
  const asked = source.value
  const limit = async (event: Event) => {
    event.preventDefault()
    const changed = limitsIn(event.currentTarget as HTMLFormElement, limits)
    await change(() => askOwn('POST household/limits', { account: name, limits: changed }), text('saved'))
    if (asked === source.value) again()
  }
  const link = async () => {
    const made = await asking(() => askOwn('POST household/link', { account: name }))
    if (made === undefined || asked !== source.value) return
    showLink(made)
    again()
  }
  const ofKind = (wantsApps: boolean) => tokens.filter(({ isApp }) => isApp === wantsApps)
    .map(token => ({ ...token, isThis: token.id === idOf(asked) }))
  const lists = [['devices', ofKind(false)], ['appPasswords', ofKind(true)]] as const
  return (
    <>
      <section class='card-form'>
        {lists.filter(([, items]) => items.length > 0).map(([title, items]) => (
          <Fragment key={title}>
            <h2>{text(title)}</h2>
            <TokenList items={items} revoke={id => askOwn('POST household/revoke', { id })} done={again} />
          </Fragment>
        ))}
        <button type='button' class='button' onClick={() => { link() }}>{text('linkNew')}</button>
      </section>
      {!isOwner && (
        <>
          <form class='form card-form' onSubmit={event => { limit(event) }}>
            <h2>{text('limits')}</h2>
            <LimitFields key={JSON.stringify(limits)} limits={limits} genres={genres} />
            <button class='button primary'>{text('save')}</button>
          </form>
          <p>
            <button type='button' class='button danger' onClick={() => { askToRemove(name, again, report) }}>
              {text('removeAccount', { name })}
            </button>
          </p>
        </>
      )}
    </>
  )
}

/** Calls an operation. An error is shown, and returns `undefined`. */
const asking = <T,>(call: () => Promise<T>): Promise<T | undefined> => call().catch(error => {
  say(explain(error), true)
  return undefined
})

async function askToRemove (account: string, again: () => void, report: (message: string) => void): Promise<void> {
  const asked = source.value
  const counted = await asking(() => askOwn('GET household/removal', { account }))
  if (counted === undefined || asked !== source.value) return
  const remove = async () => {
    closeDialog()
    const removed = await asking(() => askOwn('POST household/remove', { account, confirm: account }))
    if (asked !== source.value) return
    again()
    if (removed === undefined) return
    report(text('removedAccount', { name: account, file: removed.file }))
    go(hrefOf('household'), true)
  }
  openDialog(text('removeAccount', { name: account }), () => (
    <RemoveForm name={account} remove={() => { remove() }}>
      {text('removeAccountSure', { name: account, ...counted })}
    </RemoveForm>
  ))
}

/** Asks for the name of an account before it is removed. */
function RemoveForm ({ name, remove, children }: {
  name: string, remove: () => void, children: ComponentChildren
}) {
  const [isWrong, setWrong] = useState(false)
  const submit = (event: Event) => {
    if (typedIn(event).confirm === name) remove()
    else setWrong(true)
  }
  return (
    <form class='form' onSubmit={submit}>
      <p>{children}</p>
      <label>{text('removeType', { name })}<input name='confirm' required autocomplete='off' /></label>
      {isWrong && <p class='wrong' role='alert'>{text('removeOther', { name })}</p>}
      <span class='actions'>
        <button type='button' class='button' onClick={closeDialog}>{text('cancel')}</button>
        <button class='button danger'>{text('removeNow')}</button>
      </span>
    </form>
  )
}
