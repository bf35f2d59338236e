import type { Album, Artist } from '../../../client/index.ts'
import { foldText } from '../../../text/names.ts'
import { Choice, Empty, OrderButton, Segments } from '../parts/small.tsx'
import { listOf } from '../state/explain.ts'
import { go, hrefOf, route } from '../state/route.ts'
import type { OwnInput } from '../state/own.ts'
import { askOwn } from '../state/session.ts'
import { keepSorting, recallSorting, type Sorting } from '../state/sorting.ts'
import { pageOfCards } from '../state/tidy.ts'
import { useKept, useLoad, usePages } from '../state/use-load.ts'
import { amount, text, type TextName } from '../texts/index.ts'
import { Pending } from './details.tsx'
import { PagedCards } from './search.tsx'
import { View } from './view.tsx'
import '../texts/add-later-texts.ts'

const names: Readonly<Record<string, TextName>> = {
  name: 'name',
  artist: 'artist',
  year: 'year',
  added: 'sortAdded',
  plays: 'sortPlays',
  played: 'history',
  random: 'sortRandom'
}
/** Sort options that begin with the latest or the most played. */
const latestFirst = ['year', 'added', 'plays', 'played']

export type BrowseKind = 'albums' | 'artists'

/** The filters and sort orders of a list. */
interface Facets {
  readonly total: number
  readonly sorts: readonly string[]
  readonly letters: readonly string[]
  readonly years: readonly number[]
  readonly genres: readonly { readonly name: string, readonly tracks?: number }[]
  readonly composers: number
}

/** Requests a part of all albums or artists from the page's route. */
async function browse (
  kind: BrowseKind, filters: URLSearchParams, offset: number, signal: AbortSignal | undefined
) {
  const input = { ...Object.fromEntries(filters), kind, offset } as OwnInput<'GET browse'>
  const { items = [], limit = 0, hasMore = false, ...facets } = await askOwn('GET browse', input, signal)
  const { total = 0, sorts = [], letters = [], years = [], genres = [], composers = 0 } = facets
  const about: Facets = {
    total, sorts: listOf(sorts), letters: listOf(letters), years: listOf(years), genres: listOf(genres), composers
  }
  return { ...pageOfCards<Album | Artist>({ items, limit, hasMore }), about }
}

/**
 * Renders all albums or all artists, sorted and filtered. The URL contains the filters, so that the view can be
 * bookmarked.
 */
export function Browse ({ kind }: { kind: BrowseKind }) {
  const { query } = route.value
  // The URL determines the sorting, else the stored sorting is used.
  const isSorted = query.has('sort') || query.has('order')
  const sorting = isSorted ? [] : Object.entries(recallSorting(kind))
  const filters = new URLSearchParams([...sorting, ...query].filter(([, value]) => value !== ''))
  const pages = usePages<Album | Artist, Facets>(
    `${kind} ${filters}`, (offset, signal) => browse(kind, filters, offset, signal), true
  )
  const { about: facets } = pages
  const hrefWith = (changed: Readonly<Record<string, string>>) =>
    hrefOf(kind, undefined, Object.fromEntries(
      Object.entries({ ...Object.fromEntries(filters), ...changed }).filter(([, value]) => value !== '')
    ))
  const change = (changed: Readonly<Record<string, string>>) => go(hrefWith(changed), true)
  const arrange = (changed: Sorting) => {
    keepSorting(kind, { sort, order, ...changed })
    change({ sort, ...changed })
  }
  const letter = filters.get('letter') ?? ''
  const sort = filters.get('sort') ?? facets?.sorts[0] ?? ''
  const order = filters.get('order') === 'desc' ? 'desc' : 'asc'
  const genres = facets?.genres.map(({ name, tracks }) =>
    [name, tracks === undefined ? name : `${name} (${amount(tracks)})`] as const)
  const years = facets?.years.map(year => [String(year), String(year)] as const)
  const hasOthers = facets !== undefined && (kind === 'albums' ? facets.genres.length : facets.composers) > 0
  return (
    <View title={text(kind)} actions={facets !== undefined && <span class='total'>{amount(facets.total)}</span>}>
      {hasOthers && <Ways kind={kind} />}
      {facets !== undefined && facets.letters.length > 1 && (
        <Segments
          class='letters' label={text('letters')}
          items={['', ...facets.letters].map(one =>
            ({ name: one || text('all'), href: hrefWith({ letter: one }), isHere: one === letter }))}
        />
      )}
      {facets !== undefined && (
        <p class='sorting'>
          {([['genre', genres], ['year', years]] as const).map(([name, values = []]) => values.length > 0 && (
            <Choice
              key={name} label={text(name)} value={filters.get(name) ?? ''}
              options={[['', text('all')], ...values]}
              onChoose={value => change({ [name]: value })}
            />
          ))}
          {facets.sorts.length > 1 && (
            <Choice
              label={text('sortBy')} value={sort}
              options={facets.sorts.map(name => [name, Object.hasOwn(names, name) ? text(names[name]!) : name])}
              onChoose={value => arrange({ sort: value, order: latestFirst.includes(value) ? 'desc' : 'asc' })}
            />
          )}
          {sort !== 'random' && <OrderButton order={order} onChange={order => arrange({ order })} />}
        </p>
      )}
      <PagedCards
        pages={pages} view={kind === 'albums' ? 'album' : 'artist'} label={text(kind)} empty={text('nothingHere')}
      />
    </View>
  )
}

/** Other views that lead to the same music. */
const ways = { albums: 'genres', artists: 'composers' } as const

const Ways = ({ kind, isThere = false }: { kind: BrowseKind, isThere?: boolean }) => (
  <Segments
    label={text('places')}
    items={[
      { name: text(kind), href: hrefOf(kind), isHere: !isThere },
      { name: text(ways[kind]), href: hrefOf(ways[kind]), isHere: isThere }
    ]}
  />
)

/** Renders all genres or all composers, with a filter field. */
export function Names ({ kind }: { kind: BrowseKind }) {
  const name = ways[kind]
  const { data, error, retry } = useLoad(name, async signal => {
    const { items } = kind === 'artists'
      ? await askOwn('GET composers', undefined, signal)
      : { items: (await askOwn('GET browse', { kind, limit: 1 }, signal)).genres ?? [] }
    return listOf<{ readonly name: string, readonly tracks: number }>(items)
  })
  const [typed, setTyped] = useKept('find', '')
  if (data === undefined) return <Pending title={text(name)} error={error} again={retry} />
  const wanted = foldText(typed)
  const found = data.filter(({ name }) => foldText(name).includes(wanted))
  return (
    <View title={text(name)} actions={<span class='total'>{amount(data.length)}</span>}>
      <Ways kind={kind} isThere />
      <p class='sorting'>
        <label>
          {text('find')}
          <input type='search' value={typed} onInput={event => setTyped(event.currentTarget.value)} />
        </label>
      </p>
      {found.length === 0 && <Empty isPart>{text('nothingHere')}</Empty>}
      <ul class='names' aria-label={text(name)}>
        {found.map(({ name, tracks }) => (
          <li key={name}>
            <a href={kind === 'albums' ? hrefOf('albums', undefined, { genre: name }) : hrefOf('search', name)}>
              <span dir='auto'>{name}</span>
              <small>{text('tracksCount', { count: tracks })}</small>
            </a>
          </li>
        ))}
      </ul>
    </View>
  )
}
