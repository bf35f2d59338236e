import { Fragment } from 'preact'
import type { HouseholdAccount, HouseholdLink } from '../../page-responses.ts'
import { askFirst, askForName } from '../parts/ask-first.tsx'
import { CopyField } from '../parts/copy-button.tsx'
import { openDialog } from '../parts/dialog.tsx'
import { LimitFields, limitsIn } from '../parts/limit-fields.tsx'
import { TokenList } from '../parts/token-list.tsx'
import { change } from '../state/account-lists.ts'
import { pageUrl } from '../state/configuration.ts'
import { idOf } from '../state/parked-accounts.ts'
import { go, hrefOf } from '../state/route.ts'
import { asking, run } from '../state/run-household.ts'
import { source } from '../state/saved-sources.ts'
import { askOwn } from '../state/session.ts'
import { text } from '../texts/index.ts'
import { AppPasswordForm } from './app-passwords.tsx'
import { PersonData } from './person-data.tsx'

interface PersonProps {
  readonly account: HouseholdAccount
  readonly genres: readonly string[]
  readonly again: () => void
  /** Shows a message in the list of accounts. */
  readonly report: (message: string) => void
}

/** Shows a link for one sign-in. It is never shown again. */
export const showLink = ({ name, token, link }: HouseholdLink): void => openDialog(name, () => (
  <div class='form'>
    <p>{text('linkOnce', { name })}</p>
    <CopyField label={text('link')} value={link ?? `${pageUrl}#token=${encodeURIComponent(token)}`} />
  </div>
))

/** Renders the limits, tokens, data and removal of one account. */
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
  const lists = [['devices', ofKind(false), askToReplace], ['appPasswords', ofKind(true)]] as const
  const make = async (label: string) => {
    const done = await run('app-password', [name, label])
    return done && { username: name, password: done.secret! }
  }
  return (
    <>
      <section class='form card-form'>
        {lists.map(([title, items, replace]) => (
          <Fragment key={title}>
            <h2>{text(title)}</h2>
            {items.length > 0 && (
              <TokenList
                items={items} replace={replace} revoke={id => askOwn('POST household/revoke', { id })} done={again}
              />
            )}
            {replace === undefined
              ? <AppPasswordForm make={make} />
              : <button type='button' class='button' onClick={() => { link() }}>{text('linkNew')}</button>}
          </Fragment>
        ))}
      </section>
      <PersonData name={name} />
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

async function askToRemove (account: string, again: () => void, report: (message: string) => void): Promise<void> {
  const asked = source.value
  const counted = await asking(() => askOwn('GET household/removal', { account }))
  if (counted === undefined || asked !== source.value) return
  const run = async () => {
    const removed = await asking(() => askOwn('POST household/remove', { account, confirm: account }))
    if (asked !== source.value) return
    again()
    if (removed === undefined) return
    report(text('removedAccount', { name: account, file: removed.file }))
    go(hrefOf('household'), true)
  }
  askForName({
    name: account,
    title: text('removeAccount', { name: account }),
    about: text('removeAccountSure', { name: account, ...counted }),
    button: text('removeNow'),
    run
  })
}

const askToReplace = (id: string, name: string): void => askFirst({
  title: text('replace', { name }),
  about: text('replaceSure'),
  button: text('replaceNow'),
  async run () {
    const done = await run('rotate', [id])
    if (done !== undefined) showToken(name, done.secret!)
  }
})

/** Shows a new token. It is never shown again. */
const showToken = (name: string, token: string): void => openDialog(name, () => (
  <div class='form'>
    <p>{text('tokenOnce')}</p>
    <CopyField label={text('token')} value={token} />
  </div>
))
