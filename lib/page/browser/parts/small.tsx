import type { ComponentChildren } from 'preact'
import { text } from '../texts/index.ts'
import { favor, isFavorite, type ItemKind } from '../state/account-lists.ts'
import { hrefOf, route } from '../state/route.ts'
import { Icon, type IconName } from './icon.tsx'
import { walk } from './walk.ts'

interface IconButtonProps {
  icon: IconName
  label: string
  onClick: () => void
  pressed?: boolean
  class?: string
  size?: number
  disabled?: boolean
}

/** Renders a button with an icon only; `label` is its accessible name. */
export function IconButton (
  { icon, label, onClick, pressed, class: name = '', size = 22, disabled = false }: IconButtonProps
) {
  return (
    <button
      type='button' class={`icon-button ${name}`} aria-label={label} title={label} disabled={disabled}
      aria-pressed={pressed} onClick={onClick}
    >
      <Icon name={icon} size={size} />
    </button>
  )
}

/** Renders a link with an icon only. */
export function IconLink ({ icon, label, view, class: name = '' }: {
  icon: IconName, label: string, view: string, class?: string
}) {
  return (
    <a
      class={`icon-button ${name}`} href={hrefOf(view)} aria-label={label} title={label}
      aria-current={route.value.view === view ? 'page' : undefined}
    >
      <Icon name={icon} />
    </a>
  )
}

interface ChoiceProps {
  label: string
  value: string
  /** The values with their labels. */
  options: readonly (readonly [value: string, text: string])[]
  onChoose: (value: string) => void
  class?: string
}

/** Renders a drop-down list with one choice. */
export function Choice ({ label, value, options, onChoose, class: name }: ChoiceProps) {
  return (
    <label class={name}>{label}
      <select value={value} onChange={event => onChoose(event.currentTarget.value)}>
        {options.map(([value, text]) => <option key={value} value={value} dir='auto'>{text}</option>)}
      </select>
    </label>
  )
}

/** Renders a button that toggles the order of a list. */
export function OrderButton ({ order, onChange }: { order: string, onChange: (order: 'asc' | 'desc') => void }) {
  const isUp = order === 'asc'
  return (
    <IconButton
      icon={isUp ? 'down' : 'up'} label={text(isUp ? 'ascending' : 'descending')}
      onClick={() => onChange(isUp ? 'desc' : 'asc')}
    />
  )
}

export function Heart (
  { kind, item, name }: { kind: ItemKind, item: { id: string, favorite?: boolean | undefined }, name: string }
) {
  const on = isFavorite(kind, item)
  return (
    <IconButton
      icon={on ? 'favorite' : 'heart'} class={on ? 'heart on' : 'heart'} pressed={on} label={text('favorite', { name })}
      onClick={() => favor(kind, item)}
    />
  )
}

/** Renders the names of artists as links. */
export function Artists ({ artists }: { artists: readonly { id: string, name: string }[] }) {
  return (
    <span class='artists' dir='auto'>
      {artists.map(({ id, name }, index) => (
        <span key={index}>{index > 0 && ', '}{id === '' ? name : <a href={hrefOf('artist', id)}>{name}</a>}</span>
      ))}
    </span>
  )
}

interface Segment {
  readonly name: string
  readonly href: string
  readonly isHere: boolean
}

/** Links to the parts of a view. Arrow keys move between them; a long list is a single tab stop. */
export function Segments ({ label, items, class: name = '' }: {
  label: string, items: readonly Segment[], class?: string
}) {
  const isOneStop = items.length > 8 && items.some(({ isHere }) => isHere)
  return (
    <nav class={`segments ${name}`} aria-label={label} onKeyDown={event => walk(event, 'a')}>
      {items.map(({ name, href, isHere }) => (
        <a
          key={href} href={href} dir='auto' aria-current={isHere ? 'page' : undefined}
          tabIndex={isOneStop && !isHere ? -1 : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}

/** Renders the error of a view, with a retry button if a retry may help. */
export function Trouble ({ message, again }: { message: string, again: (() => void) | undefined }) {
  return (
    <div class='trouble' role='alert'>
      <p>{message}</p>
      {again === undefined
        ? <a class='button' href={hrefOf('')}>{text('home')}</a>
        : <button type='button' class='button' onClick={again}>{text('tryAgain')}</button>}
    </div>
  )
}

/** Renders a placeholder for covers or rows, or three dots. */
export const Waiting = ({ of = '' }: { of?: 'covers' | 'rows' | '' | undefined }) => (
  <div class={`waiting ${of}`} role='status' aria-label={text('loading')}>
    {Array.from({ length: of === '' ? 3 : 12 }, (_, index) => <i key={index} />)}
  </div>
)

/** Pictures of empty views. Other views show a record. */
const pictures: Readonly<Record<string, IconName>> = { history: 'past', search: 'search' }

/** The message of an empty view, with a picture, and with a link to Home unless it is a part of a view. */
export const Empty = ({ children, icon = pictures[route.value.view] ?? 'album', isPart = false }: {
  children: ComponentChildren, icon?: IconName, isPart?: boolean
}) => (
  <div class='empty'>
    <span class='empty-picture'><Icon name={icon} size={44} /></span>
    <p>{children}</p>
    {!isPart && route.value.view !== '' && <a class='button' href={hrefOf('')}>{text('home')}</a>}
  </div>
)

/** Returns the attributes of a field that requires more than white space. The browser reports violations. */
export const notBlank = () => ({ pattern: String.raw`.*\S.*`, title: text('nameNeeded') })

/** Returns the values of a submitted form by field name. */
export function typedIn (event: Event): Readonly<Partial<Record<string, string>>> {
  event.preventDefault()
  return Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<string, string>
}
