import type { ComponentChildren } from 'preact'
import { text } from '../texts/index.ts'
import { favor, isFavorite, type Kind } from '../state/library.ts'
import { hrefOf } from '../state/route.ts'
import { Icon, type IconName } from './icon.tsx'

interface IconButtonProps {
  icon: IconName
  label: string
  onClick: () => void
  pressed?: boolean
  class?: string
  size?: number
  disabled?: boolean
}

/** A button that shows an icon only; `label` is its name. */
export function IconButton (
  { icon, label, onClick, pressed, class: name = '', size = 22, disabled = false }: IconButtonProps
) {
  return (
    <button
      type='button' class={`icon-button ${name}`} aria-label={label} title={label} disabled={disabled}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })} onClick={onClick}
    >
      <Icon name={icon} size={size} />
    </button>
  )
}

export function Heart (
  { kind, item, name }: { kind: Kind, item: { id: string, favorite?: boolean | undefined }, name: string }
) {
  const on = isFavorite(kind, item)
  return (
    <IconButton
      icon={on ? 'favorite' : 'heart'} class={on ? 'heart on' : 'heart'} pressed={on} label={text('favorite', { name })}
      onClick={() => favor(kind, item)}
    />
  )
}

/** Names of artists with links to them. */
export function Artists ({ artists }: { artists: readonly { id: string, name: string }[] }) {
  return (
    <span class='artists' dir='auto'>
      {artists.map(({ id, name }, index) => (
        <span key={index}>{index > 0 && ', '}{id === '' ? name : <a href={hrefOf('artist', id)}>{name}</a>}</span>
      ))}
    </span>
  )
}

/** What went wrong in a view, with a way to go on. */
export function Trouble ({ message, again }: { message: string, again: () => void }) {
  return (
    <div class='trouble' role='alert'>
      <p>{message}</p>
      <button type='button' class='button' onClick={again}>{text('tryAgain')}</button>
    </div>
  )
}

export const Waiting = () => <div class='waiting' role='status' aria-label={text('loading')}><i /><i /><i /></div>

export const Empty = ({ children }: { children: ComponentChildren }) => <p class='empty'>{children}</p>

/** For a field that must have more than white space in it; the browser says so. */
export const notBlank = () => ({ pattern: String.raw`.*\S.*`, title: text('nameNeeded') })
