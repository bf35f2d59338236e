import type { AppPassword, OwnAnswers } from '../../own-answers.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { closeDialog, openDialog } from '../parts/dialog.tsx'
import { IconButton, notBlank, Trouble, typedIn } from '../parts/small.tsx'
import { change } from '../state/account-lists.ts'
import { askOwn, source } from '../state/sources.ts'
import { useLoad } from '../state/use-load.ts'
import { day, text } from '../texts/index.ts'

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
  const list = (items: readonly (AppPassword & { isThis?: boolean })[]) => (
    <ul class='source-list'>
      {items.map(({ id, name = id, createdAt, usedAt, usedBy, isThis }) => (
        <li key={id}>
          <span>
            <strong dir='auto'>{name}</strong> <small>{day(createdAt)}</small>
            {usedAt !== undefined && (
              <small dir='auto'>{text('usedLast', { day: day(usedAt), by: usedBy!.split(' ', 1)[0]! })}</small>
            )}
          </span>
          {isThis
            ? <small>{text('thisBrowser')}</small>
            : <IconButton icon='trash' label={text('revoke', { name })} onClick={() => askToRevoke(id, name, again)} />}
        </li>
      ))}
    </ul>
  )
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
    <Copied label={text('url')} value={source.value.url} />
    <Copied label={text('userName')} value={username} />
    <Copied label={text('appPassword')} value={password} />
  </div>
)

const Copied = ({ label, value }: { label: string, value: string }) => (
  <div>
    <label>{label}<input readOnly value={value} dir='ltr' /></label>
    <CopyButton label={label} value={value} />
  </div>
)

function askToRevoke (id: string, name: string, done: () => void): void {
  const revoke = async () => {
    closeDialog()
    const asked = source.value
    const call = () => askOwn('POST app-passwords/revoke', { id })
    await change(call, text('revoked', { name }))
    if (asked === source.value) done()
  }
  openDialog(text('revoke', { name }), () => (
    <div class='form'>
      <p>{text('revokeSure', { name })}</p>
      <span class='actions'>
        <button type='button' class='button' data-first onClick={closeDialog}>{text('cancel')}</button>
        <button type='button' class='button danger' onClick={() => { revoke() }}>{text('revokeNow')}</button>
      </span>
    </div>
  ))
}
