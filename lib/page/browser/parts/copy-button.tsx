import { useState } from 'preact/hooks'
import { text } from '../texts/index.ts'

/** Copies a string. */
export function CopyButton ({ label, value }: { label: string, value: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = ({ currentTarget: button }: { readonly currentTarget: HTMLElement }) => {
    // `navigator.clipboard` is missing on plain http. The field is next to the button, since a modal dialog blocks
    // everything else.
    const field = document.createElement('textarea')
    field.value = value
    button.after(field)
    field.select()
    setCopied(document.execCommand('copy'))
    field.remove()
    button.focus()
  }
  return (
    <>
      <button type='button' class='button' aria-label={text('copy', { name: label })} onClick={copy}>
        {text('copyText')}
      </button>
      <span role='status'>{isCopied && text('copied')}</span>
    </>
  )
}

/** Shows a string with a button that copies it. */
export const CopyField = ({ label, value }: { label: string, value: string }) => (
  <div>
    <label>{label}<input readOnly value={value} dir='ltr' /></label>
    <CopyButton label={label} value={value} />
  </div>
)
