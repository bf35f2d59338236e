import type { Album, Artist } from '../../../client/index.ts'
import { IconButton } from '../parts/small.tsx'
import { browse, type BrowseKind, type Facets } from '../state/browse.ts'
import { go, hrefOf, route } from '../state/route.ts'
import { source } from '../state/sources.ts'
import { useKept, usePages } from '../state/use-load.ts'
import { amount, text, type TextName } from '../texts/index.ts'
import { PagedCards } from './search.tsx'
import { View } from './view.tsx'

const names: Readonly<Record<string, TextName>> = { name: 'name', year: 'year', added: 'sortAdded' }
/** These begin with what is latest. */
const latestFirst = ['year', 'added']

/** All albums or all artists, sorted and filtered. The address says how, so that it can be kept and come back to. */
export function Browse ({ kind }: { kind: BrowseKind }) {
  const { query } = route.value
  const filters = new URLSearchParams([...query].filter(([, value]) => value !== ''))
  const [facets, setFacets] = useKept<Facets | undefined>('facets', undefined)
  const pages = usePages<Album | Artist>(`${kind} ${source.value.url} ${filters}`, async (offset, signal) => {
    const page = await browse(kind, filters, offset, signal)
    if (offset === 0) setFacets(page)
    return page
  }, true)
  const hrefWith = (changed: Readonly<Record<string, string>>) =>
    hrefOf(kind, undefined, Object.fromEntries(
      Object.entries({ ...Object.fromEntries(filters), ...changed }).filter(([, value]) => value !== '')
    ))
  const change = (changed: Readonly<Record<string, string>>) => go(hrefWith(changed), true)
  const letter = filters.get('letter')
  const sort = filters.get('sort') ?? facets?.sorts[0] ?? ''
  const order = filters.get('order') ?? 'asc'
  return (
    <View title={text(kind)} actions={facets !== undefined && <span class='total'>{amount(facets.total)}</span>}>
      {facets !== undefined && facets.letters.length > 1 && (
        <nav class='segments letters' aria-label={text('letters')}>
          {['', ...facets.letters].map(one => (
            <a
              key={one} href={hrefWith({ letter: one })}
              {...(one === (letter ?? '') ? { 'aria-current': 'page' as const } : {})}
            >
              {one || text('all')}
            </a>
          ))}
        </nav>
      )}
      {facets !== undefined && (
        <p class='sorting'>
          <Filter name='genre' label={text('genre')} values={facets.genres} value={filters.get('genre')} set={change} />
          <Filter name='year' label={text('year')} values={facets.years} value={filters.get('year')} set={change} />
          {facets.sorts.length > 1 && (
            <label>{text('sortBy')}
              <select
                value={sort}
                onChange={({ currentTarget: { value } }) =>
                  change({ sort: value, order: latestFirst.includes(value) ? 'desc' : 'asc' })}
              >
                {facets.sorts.map(name => (
                  <option key={name} value={name}>{Object.hasOwn(names, name) ? text(names[name]!) : name}</option>
                ))}
              </select>
            </label>
          )}
          <IconButton
            icon={order === 'asc' ? 'down' : 'up'} label={text(order === 'asc' ? 'ascending' : 'descending')}
            onClick={() => change({ order: order === 'asc' ? 'desc' : 'asc' })}
          />
        </p>
      )}
      <PagedCards
        pages={pages} view={kind === 'albums' ? 'album' : 'artist'} label={text(kind)} empty={text('nothingHere')}
      />
    </View>
  )
}

function Filter ({ name, label, values, value, set }: {
  name: string,
  label: string,
  values: readonly (string | number)[],
  value: string | null,
  set: (changed: Readonly<Record<string, string>>) => void
}) {
  if (values.length === 0) return null
  return (
    <label>{label}
      <select value={value ?? ''} onChange={event => set({ [name]: event.currentTarget.value })}>
        <option value=''>{text('all')}</option>
        {values.map(one => <option key={one} value={String(one)}>{one}</option>)}
      </select>
    </label>
  )
}
