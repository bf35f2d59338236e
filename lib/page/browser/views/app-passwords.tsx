import type { OwnAnswers } from '../../page-responses.ts'
import { CopyField } from '../parts/copy-button.tsx'
import { openDialog } from '../parts/dialog.tsx'
import { notBlank, Trouble, typedIn } from '../parts/small.tsx'
import { TokenList, type TokenListProps } from '../parts/token-list.tsx'
import { change } from '../state/account-lists.ts'
import { source } from '../state/saved-sources.ts'
import { askOwn } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'

type Made = OwnAnswers['POST app-passwords']

/** Creates, lists and revokes the app passwords of the account. */
export function AppPasswords () {
  const { data, error, again } = useLoad('app passwords', signal => askOwn('GET app-passwords', {}, signal), true)
  if (error !== '') return <Trouble message={error} again={again} />
  const { username, items = [], devices = [] } = data ?? {}
  if (username === undefined) return null
  const make = async (name: string) => {
    const asked = source.value
    let made: Made | undefined
    await change(async () => {
      made = await askOwn('POST app-passwords', { name })
      return { success: true }
    }, text('created', { name }))
    if (asked === source.value) again()
    return made
  }
  const list = (items: TokenListProps['items']) =>
    <TokenList items={items} revoke={id => askOwn('POST app-passwords/revoke', { id })} done={again} />
  return (
    <section class='card-form'>
      {devices.length > 0 && (
        <>
          <h2>{text('devices')}</h2>
          <p>{text('devicesAbout')}</p>
          {list(devices)}
        </>
      )}
      <h2>{text('appPasswords')}</h2>
      <p>{text('appPasswordsAbout')}</p>
      {list(items)}
      <AppPasswordForm make={make} />
    </section>
  )
}

/**
 * Shows a form for the name of an app, and then its new password.
 *
 * @param make returns `undefined` after an error
 */
export function AppPasswordForm ({ make }: { make: (name: string) => Promise<Made | undefined> }) {
  const submit = async (event: Event) => {
    const form = event.currentTarget as HTMLFormElement
    const { name = '' } = typedIn(event)
    const asked = source.value
    const made = await make(name)
    if (made === undefined || asked !== source.value) return
    form.reset()
    openDialog(name, () => <Shown {...made} />)
  }
  return (
    <form class='inline-form' onSubmit={event => { submit(event) }}>
      <input
        name='name' aria-label={text('appPasswordName')} placeholder={text('appPasswordName')} maxLength={100}
        required {...notBlank()}
      />
      <button class='button'>{text('create')}</button>
    </form>
  )
}

/** Renders the login data for an app. The password is never shown again. */
const Shown = ({ username, password }: Made) => (
  <div class='form'>
    <p>{text('appPasswordOnce')}</p>
    <CopyField label={text('url')} value={source.value.url} />
    <CopyField label={text('userName')} value={username} />
    <CopyField label={text('appPassword')} value={password} />
  </div>
)
