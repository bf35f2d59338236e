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
  /** The view that a card links to. */
  readonly view: 'album' | 'artist' | 'playlist' | 'toplist'
  /** The message for an empty list. */
  readonly empty?: TextName | undefined
  /** Returns lines of text below a card. Default: its known facts on one line. */
  readonly below?: (item: T) => ComponentChildren
  /** If `true`, the cards are one row that scrolls sideways. */
  readonly row?: boolean
}

/** Returns the owner and year, the update frequency, or the length of a card's item. */
function factsOf ({ artistName, publishTime, updateFrequency, trackCount }: Card): string {
  const made = [artistName, typeof publishTime === 'number' && year(publishTime)].filter(Boolean).join(' · ')
  return made || updateFrequency || (typeof trackCount === 'number' ? text('tracksCount', { count: trackCount }) : '')
}

/** Returns whether a playlist stands for a genre or a mood. */
export const isGenre = ({ name, tags }: Card) => Array.isArray(tags) && tags.length === 1 && tags[0] === name

/** Returns whether a card has a drawn cover. */
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
        <span class='card-text'>
          <span class='card-name' dir='auto' title={name}>{name}</span>
          <span class='card-below' dir={typeof shown === 'string' ? 'auto' : undefined}>{shown}</span>
        </span>
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

/** Shows covers with names, each a link to its details. */
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

/** Shows any number of cards of one height. Only visible cards are in the document. */
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

/** Requests the next page before the end of the list is visible. */
export function EndOfList ({ more, items }: { more: () => void, items: readonly unknown[] }) {
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(
      // The margin applies to the scroll container; a margin of the window would be cut off.
      ([entry]) => { if (entry?.isIntersecting) more() }, { root: scroller(), rootMargin: '600px' }
    )
    observer.observe(end.current!)
    return () => observer.disconnect()
    // Observed again after each page: if the end is still visible, it requests the next page.
  }, [more, items])
  return <div ref={end} class='end-of-list' role='status' aria-label={text('loading')} />
}
