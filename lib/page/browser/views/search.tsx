import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Album, Artist, Playlist, SearchSuggest, Track } from '../../../client/index.ts'
import { Cards, EndOfList } from '../parts/cards.tsx'
import { Cover } from '../parts/cover.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Segments, Trouble, Waiting } from '../parts/small.tsx'
import { walk } from '../parts/walk.ts'
import { TrackList } from '../parts/track-list.tsx'
import { coverOf } from '../state/covers.ts'
import { loadPageOf } from '../state/more.ts'
import { playList } from '../state/player.ts'
import { go, hrefOf, route } from '../state/route.ts'
import { ask, can } from '../state/session.ts'
import { cardsOf, pageOfCards, tracksOf } from '../state/tidy.ts'
import { useLoad, usePages, type Pages } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { View } from './view.tsx'

/** Milliseconds without a key before the source is called. */
const typingPause = 200
/** The number of items per request. */
const pageSize = 50

const kinds = [
  { key: 'tracks', capability: 'searchTracks' },
  { key: 'albums', capability: 'searchAlbums', method: 'searchAlbums', view: 'album' },
  { key: 'artists', capability: 'searchArtists', method: 'searchArtists', view: 'artist' },
  { key: 'playlists', capability: 'searchPlaylists', method: 'searchPlaylists', view: 'playlist' }
] as const

export const canSearch = () => kinds.some(({ capability }) => can(capability)) || can('searchSuggest')

/** Moves the focus from the field to the results with the key down. */
function goToResults (event: KeyboardEvent): void {
  if (event.key === 'ArrowDown') focusFirst(event, '.suggestions :is(a, button), .row .title, .card > a')
}

function focusFirst (event: KeyboardEvent, selector: string): void {
  event.preventDefault()
  document.querySelector<HTMLElement>(`.view-search :is(${selector})`)?.focus()
}

/** Renders the search field in the header. A moment later, the typed text becomes the URL of the view. */
export function SearchField () {
  const { view, id } = route.value
  const [typed, setTyped] = useState(view === 'search' ? id : '')
  /** The last search from this field. More may have been typed since. */
  const asked = useRef<string | undefined>(undefined)
  // A layout effect, because an effect runs after the next frame and would overwrite newer input.
  useLayoutEffect(() => {
    if (view === 'search' && id === asked.current) return
    asked.current = undefined
    setTyped(view === 'search' ? id : '')
  }, [view, id])
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (text: string) => {
    const keyword = text.trim()
    const { view, id, query } = route.peek()
    if (keyword === id || (keyword === '' && view !== 'search')) return
    if (keyword === '') return go(hrefOf('search'), true)
    asked.current = keyword
    const kind = view === 'search' ? query.get('in') : null
    go(hrefOf('search', keyword, kind === null ? undefined : { in: kind }), view === 'search')
  }
  const type = (text: string) => {
    setTyped(text)
    const { view, id } = route.peek()
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const now = route.peek()
      // Do not navigate if the view or the keyword has changed; choosing another kind changes neither.
      if (now.view === view && now.id === id) search(text)
    }, typingPause)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    search(typed)
  }
  return (
    <form role='search' class='search-field' onSubmit={submit}>
      <Icon name='search' />
      <input
        id='search' type='search' autocomplete='off' spellcheck={false} enterkeyhint='search'
        aria-label={text('search')} placeholder={text('searchFor')}
        value={typed} onInput={event => type(event.currentTarget.value)} onKeyDown={goToResults}
      />
    </form>
  )
}

export function Search () {
  const { id: keyword, query } = route.value
  const offered = kinds.filter(({ capability }) => can(capability))
  const kind = offered.find(({ key }) => key === query.get('in')) ?? offered[0]
  if (keyword === '') return <View title={text('search')}><Empty>{text('searchHint')}</Empty></View>
  return (
    <View title={text('resultsFor', { keyword })}>
      {can('searchSuggest') && <Suggestions keyword={keyword} />}
      {offered.length > 1 && (
        <Segments
          label={text('kinds')}
          items={offered.map(({ key }) =>
            ({ name: text(key), href: hrefOf('search', keyword, { in: key }), isHere: key === kind?.key }))}
        />
      )}
      {kind?.key === 'tracks' && <FoundTracks keyword={keyword} />}
      {kind !== undefined && kind.key !== 'tracks' && <FoundCards key={kind.key} keyword={keyword} kind={kind} />}
    </View>
  )
}

/** Returns the kind and artists of a suggestion, to distinguish songs of one name. */
const kindOf = ({ artists }: Track) => [text('track'), ...artists.slice(0, 2).map(({ name }) => name)].join(' · ')

/** Renders a few suggestions of each kind. */
function Suggestions ({ keyword }: { keyword: string }) {
  const { data, error } = useLoad(`suggest ${keyword}`, async signal => {
    const { songs, artists, albums } = await ask<SearchSuggest>(client => client.searchSuggest(keyword), signal)
    return {
      songs: tracksOf(songs).slice(0, 3),
      cards: [
        ...cardsOf<Artist>(artists).slice(0, 1).map(card => ({ ...card, view: 'artist' as const })),
        ...cardsOf<Album>(albums).slice(0, 2).map(card => ({ ...card, view: 'album' as const }))
      ]
    }
  }, true)
  const { songs = [], cards = [] } = data ?? {}
  // Its space is reserved until they arrive.
  if (songs.length + cards.length === 0 && (data !== undefined || error !== '')) return null
  return (
    <ul
      class='suggestions' aria-label={text('suggestions')}
      onKeyDown={event => {
        if (event.key === 'ArrowDown') focusFirst(event, '.row .title, .card > a')
        else walk(event, 'a, button')
      }}
    >
      {cards.map(({ id, name, coverUrl, view }) => (
        <li key={`${view} ${id}`}>
          <a href={hrefOf(view, id)}>
            <Cover url={coverUrl} of={{ kind: view, id }} name={name} size={48} round={view === 'artist'} />
            <span dir='auto'>{name}<small>{text(view)}</small></span>
          </a>
        </li>
      ))}
      {songs.map((track, index) => (
        <li key={track.id}>
          <button type='button' onClick={() => playList(songs, index)}>
            <Cover url={track.album.coverUrl} of={coverOf(track)} name={track.title} size={48} />
            <span dir='auto'>{track.title}<small>{kindOf(track)}</small></span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function FoundTracks ({ keyword }: { keyword: string }) {
  const pages = usePages<Track>(
    `search tracks ${keyword}`, (offset, signal) => loadPageOf('search', keyword, offset, signal), true,
    { list: 'search', id: keyword }
  )
  return <PagedTracks pages={pages} label={text('tracks')} empty={text('nothingFound', { keyword })} />
}

function FoundCards ({ keyword, kind: { key, method, view } }: {
  keyword: string, kind: Exclude<typeof kinds[number], { key: 'tracks' }>
}) {
  const pages = usePages<Album | Artist | Playlist>(`search ${key} ${keyword}`, async (offset, signal) =>
    pageOfCards(await ask<Parameters<typeof pageOfCards>[0]>(
      client => client[method](keyword, offset, pageSize), signal
    )), true)
  return <PagedCards pages={pages} view={view} label={text(key)} empty={text('nothingFound', { keyword })} />
}

export function PagedTracks ({ pages, label, empty }: { pages: Pages<Track>, label: string, empty: string }) {
  const { items, hasMore, error, more, rest } = pages
  return (
    <>
      {items.length > 0 && (
        <TrackList
          tracks={items} label={label} play={index => playList(items, index, rest())}
          {...(hasMore && error === '' ? { more } : {})}
        />
      )}
      <Rest pages={pages} empty={empty} of='rows' />
    </>
  )
}

export function PagedCards<T extends Album | Artist | Playlist> ({ pages, view, label, empty, apart }: {
  pages: Pages<T>
  view: 'album' | 'artist' | 'playlist'
  label: string
  empty: string
  /** The items that are listed below the others, under a heading. */
  apart?: { readonly has: (item: T) => boolean, readonly title: string } | undefined
}) {
  const { items, hasMore, error, more } = pages
  const below = useMemo(() => apart === undefined ? [] : items.filter(apart.has), [items])
  const others = useMemo(() => below.length === 0 ? items : items.filter(item => !below.includes(item)), [below])
  return (
    <>
      {others.length > 0 && <Cards items={others} view={view} label={label} />}
      {below.length > 0 && (
        <section class='card-row'>
          <header><h2>{apart!.title}</h2></header>
          <Cards items={below} view={view} label={apart!.title} />
        </section>
      )}
      {items.length > 0 && hasMore && error === '' && <EndOfList more={more} items={items} />}
      <Rest pages={pages} empty={empty} of='covers' />
    </>
  )
}

/** Renders the end of a list, with an announcement of new items for screen readers. */
function Rest ({ pages: { items, hasMore, error, retry }, empty, of }: {
  pages: Pages<unknown>, empty: string, of: 'covers' | 'rows'
}) {
  const isEmpty = items.length === 0 && error === ''
  return (
    <>
      <div role='status'>
        {isEmpty && !hasMore && <Empty>{empty}</Empty>}
        {items.length > 0 && <span class='hidden'>{text('listed', { count: items.length })}</span>}
      </div>
      {error !== '' && <Trouble message={error} again={retry} />}
      {isEmpty && hasMore && <Waiting of={of} />}
    </>
  )
}
