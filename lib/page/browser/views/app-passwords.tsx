import type { OwnAnswers } from '../../own-answers.ts'
import { CopyField } from '../parts/copy-button.tsx'
import { openDialog } from '../parts/dialog.tsx'
import { notBlank, Trouble, typedIn } from '../parts/small.tsx'
import { TokenList, type TokenListProps } from '../parts/token-list.tsx'
import { change } from '../state/account-lists.ts'
import { askOwn, source } from '../state/sources.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'

type Made = OwnAnswers['POST app-passwords']

/** The app passwords of the account: makes, lists and revokes them. */
export function AppPasswords () {
  const { data, error, again } = useLoad('app passwords', signal => askOwn('GET app-passwords', {}, signal), true)
  if (error !== '') return <Trouble message={error} again={again} />
  const { username, items = [], devices = [] } = data ?? {}
  if (username === undefined) return null
  const make = async (event: Event) => {
    const form = event.currentTarget as HTMLFormElement
    const { name = '' } = typedIn(event)
    const asked = source.value
    let made: Made | undefined
    const isMade = await change(async () => {
      made = await askOwn('POST app-passwords', { name })
      return { success: true }
    }, text('created', { name }))
    if (asked !== source.value) return
    if (isMade) {
      form.reset()
      openDialog(name, () => <Shown {...made!} />)
    }
    again()
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
      <form class='inline-form' onSubmit={event => { make(event) }}>
        <input
          name='name' aria-label={text('appPasswordName')} placeholder={text('appPasswordName')} maxLength={100}
          required {...notBlank()}
        />
        <button class='button'>{text('create')}</button>
      </form>
    </section>
  )
}

/** What an app asks for. The password is in no list later. */
const Shown = ({ username, password }: Made) => (
  <div class='form'>
    <p>{text('appPasswordOnce')}</p>
    <CopyField label={text('url')} value={source.value.url} />
    <CopyField label={text('userName')} value={username} />
    <CopyField label={text('appPassword')} value={password} />
  </div>
)
