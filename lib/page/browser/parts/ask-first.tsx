import { useState } from 'preact/hooks'
import { text } from '../texts/index.ts'
import { closeDialog, openDialog } from './dialog.tsx'
import { typedIn } from './small.tsx'

interface Question {
  readonly title: string
  readonly about: string
  /** The label of the button that starts the action. */
  readonly button: string
  readonly run: () => unknown
}

/** @param isFirst whether Cancel has the initial focus */
const Buttons = ({ button, isFirst }: { button: string, isFirst: boolean }) => (
  <span class='actions'>
    <button type='button' class='button' data-first={isFirst || undefined} onClick={closeDialog}>
      {text('cancel')}
    </button>
    <button class='button danger'>{button}</button>
  </span>
)

/** Shows a confirmation dialog before a change that cannot be undone. */
export const askFirst = ({ title, about, button, run }: Question): void => openDialog(title, () => (
  <form
    class='form'
    onSubmit={event => {
      event.preventDefault()
      closeDialog()
      run()
    }}
  >
    <p>{about}</p>
    <Buttons button={button} isFirst />
  </form>
))

/** Shows a dialog that requires a name before a change that cannot be undone. */
export const askForName = ({ name, title, ...question }: Question & { readonly name: string }): void =>
  openDialog(title, () => <NameForm name={name} title={title} {...question} />)

function NameForm ({ name, about, button, run }: Question & { name: string }) {
  const [isWrong, setWrong] = useState(false)
  const submit = (event: Event) => {
    if (typedIn(event).confirm !== name) return setWrong(true)
    closeDialog()
    run()
  }
  return (
    <form class='form' onSubmit={submit}>
      <p>{about}</p>
      <label>{text('removeType', { name })}<input name='confirm' required autocomplete='off' /></label>
      {isWrong && <p class='wrong' role='alert'>{text('removeOther', { name })}</p>}
      <Buttons button={button} isFirst={false} />
    </form>
  )
}

/** Shows the result of a change until it is closed. */
export const showResult = (title: string, message = ''): void =>
  openDialog(title, () => <p class='description'>{message}</p>)
