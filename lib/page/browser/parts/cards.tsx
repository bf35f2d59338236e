import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { loadTracksOf } from '../state/load-tracks.ts'
import { playWhenThere } from '../state/player.ts'
import { hrefOf } from '../state/route.ts'
import { text, year, type TextName } from '../texts/index.ts'
import { Cover, Drawn } from './cover.tsx'
import { Icon } from './icon.tsx'
import { walk } from './walk.ts'
import { Empty, IconButton } from './small.tsx'
import { openTracksMenu } from './track-menu.tsx'
import { useGrid } from './use-grid.ts'
import { scroller } from './use-scroll.ts'

export interface Card {
  readonly id: string
  readonly name: string
  readonly coverUrl?: string | undefined
  readonly artistName?: string | undefined
  readonly publishTime?: number | null | undefined
  readonly updateFrequency?: string | undefined
  readonly trackCount?: number | undefined
  readonly tags?: readonly string[] | undefined
}

interface CardsProps<T extends Card> {
  readonly items: readonly T[]
  readonly label: string
  /** View that a card leads to. */
  readonly view: 'album' | 'artist' | 'playlist' | 'toplist'
  /** What is said of no items. */
  readonly empty?: TextName | undefined
  /** What is said of each, on some lines. Default: what is known of it, on one. */
  readonly below?: (item: T) => ComponentChildren
  /** One row that scrolls sideways. */
  readonly row?: boolean
}

/** Whose it is and from when, how often it changes, or how long it is. */
function factsOf ({ artistName, publishTime, updateFrequency, trackCount }: Card): string {
  const made = [artistName, typeof publishTime === 'number' && year(publishTime)].filter(Boolean).join(' · ')
  return made || updateFrequency || (typeof trackCount === 'number' ? text('tracksCount', { count: trackCount }) : '')
}

/** Whether a playlist stands for a genre or a mood. */
export const isGenre = ({ name, tags }: Card) => Array.isArray(tags) && tags.length === 1 && tags[0] === name

/** Whether it has no cover of its own. */
export const isDrawn = (view: string, card: Card) => view === 'toplist' || isGenre(card)

interface OneProps<T extends Card> extends Required<Pick<CardsProps<T>, 'view' | 'below'>> {
  readonly item: T
  readonly place?: HTMLAttributes<HTMLLIElement>
}

function One<T extends Card> ({ item, view, below, place }: OneProps<T>) {
  const { id, name, coverUrl } = item
  const shown = below(item)
  const tracks = () => loadTracksOf(view, id)
  const openMenu = () => openTracksMenu(name, tracks, view === 'toplist' ? undefined : { kind: view, id })
  return (
    <li
      {...place} class='card'
      onContextMenu={event => {
        event.preventDefault()
        openMenu()
      }}
    >
      <a href={hrefOf(view, id)}>
        {isDrawn(view, item)
          ? <Drawn word={name} />
          : (
            <Cover
              url={coverUrl} of={view === 'toplist' ? undefined : { kind: view, id }} name={name} size={180}
              round={view === 'artist'}
            />
            )}
        <span class='card-name' dir='auto' title={name}>{name}</span>
        <span class='card-below' dir={typeof shown === 'string' ? 'auto' : undefined}>{shown}</span>
      </a>
      <button
        type='button' class='play-round card-play' tabIndex={-1} aria-label={text('playTitle', { title: name })}
        onClick={() => { playWhenThere(tracks, 'nothingHere') }}
      >
        <Icon name='play' />
      </button>
      <IconButton icon='more' size={18} label={text('moreFor', { title: name })} class='card-more' onClick={openMenu} />
    </li>
  )
}

/** Covers with names, each a link to its details. */
export function Cards<T extends Card> (props: CardsProps<T>) {
  const { items, label, view, empty = 'nothingHere', below, row = false } = props
  if (items.length === 0) return <Empty>{text(empty)}</Empty>
  if (!row && below === undefined) return <Grid {...props} />
  return (
    <ul
      class={row ? 'cards one-row' : 'cards'} aria-label={label} tabIndex={row ? 0 : undefined}
      onKeyDown={event => walk(event, '.card > a')}
    >
      {items.map((item, index) => (
        <One key={`${item.id} ${index}`} item={item} view={view} below={below ?? factsOf} />
      ))}
    </ul>
  )
}

/** Any number of cards of one height: only those that can be seen are in the document. */
function Grid<T extends Card> ({ items, label, view }: CardsProps<T>) {
  const { shown, styleOf, list } = useGrid(items.length)
  return (
    <ul {...list} class='cards virtual' aria-label={label}>
      {shown.map(index => (
        <One
          key={`${items[index]!.id} ${index}`} item={items[index]!} view={view} below={factsOf}
          place={{ style: styleOf(index), 'aria-setsize': items.length, 'aria-posinset': index + 1 }}
        />
      ))}
    </ul>
  )
}

/** Asks for more before it comes into view. */
export function EndOfList ({ more, items }: { more: () => void, items: readonly unknown[] }) {
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(
      // The margin is that of what scrolls: of the window it would be cut off.
      ([entry]) => { if (entry?.isIntersecting) more() }, { root: scroller(), rootMargin: '600px' }
    )
    observer.observe(end.current!)
    return () => observer.disconnect()
    // Observed anew after each page: one that is still in view asks again.
  }, [more, items])
  return <div ref={end} class='end-of-list' role='status' aria-label={text('loading')} />
}
