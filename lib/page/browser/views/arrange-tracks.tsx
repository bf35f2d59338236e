import { useCallback, useMemo } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { compareKeys, foldText, sortKey, withoutArticle } from '../../../text/names.ts'
import { Choice, OrderButton } from '../parts/small.tsx'
import type { useSorting } from '../state/sorting.ts'
import { useKept } from '../state/use-load.ts'
import { text, type TextName } from '../texts/index.ts'

/** The number of tracks up to which a list needs no filter. */
const few = 8

const artistsOf = ({ artists }: Track) => artists.map(({ name }) => name).join(' ')

/** The sort values of the columns of a list. */
const columns = {
  title: ({ title }: Track) => sortKey(title),
  artist: (track: Track) => sortKey(withoutArticle(artistsOf(track))),
  album: ({ album }: Track) => sortKey(album.name),
  length: ({ durationMs }: Track) => durationMs
} as const

type Column = keyof typeof columns
const columnNames = Object.keys(columns) as Column[]

/** Sorts tracks. Equal ones retain their order. */
function sorted (tracks: readonly Track[], column: Column, order: string): readonly Track[] {
  const sign = order === 'desc' ? -1 : 1
  const keys = new Map(tracks.map(track => [track, columns[column](track)]))
  return tracks.toSorted((a, b) => sign * compareKeys(keys.get(a)!, keys.get(b)!))
}

interface Given {
  readonly sorting: ReturnType<typeof useSorting>
  readonly tracks: readonly Track[] | undefined
  /** The name of the original order. */
  readonly usual: TextName
  /** The sort options of the source. */
  readonly options?: readonly { readonly key: string, readonly label: string }[]
  /** Whether the page has all tracks, so that it can sort them. */
  readonly isWhole?: boolean
}

const none: readonly Track[] = []

/** Returns a list in memory that is sorted by column, and filtered. */
export function useArranged ({ sorting, tracks = none, usual, options = [], isWhole = true }: Given) {
  const { sort, order, change } = sorting
  const [typed, setTyped] = useKept('find', '')
  const isOurs = isWhole && Object.hasOwn(columns, sort) && options.every(({ key }) => key !== sort)
  const arrange = useCallback((tracks: readonly Track[]) => {
    const list = isOurs ? sorted(tracks, sort as Column, order) : tracks
    const wanted = foldText(typed.trim())
    return wanted === ''
      ? list
      : list.filter(track => foldText([track.title, artistsOf(track), track.album.name].join('\n')).includes(wanted))
  }, [isOurs, sort, order, typed])
  const labels = new Set(options.map(({ label }) => label))
  const isLong = tracks.length > few
  const ours = isOurs || (isWhole && isLong)
    ? columnNames.filter(name => tracks.some(track => columns[name](track) !== columns[name](tracks[0]!)))
      .map(name => [name, text(name)] as const).filter(([, label]) => !labels.has(label))
    : []
  const choices = [...options.map(({ key, label }) => [key, label] as const), ...ours]
  const isKnown = choices.some(([key]) => key === sort)
  const tools = (choices.length > 0 || typed !== '') && (
    <p class='sorting'>
      {(isLong || typed !== '') && (
        <label>
          {text('find')}
          <input type='search' value={typed} onInput={event => setTyped(event.currentTarget.value)} />
        </label>
      )}
      <Choice
        label={text('sortBy')} value={isKnown ? sort : ''} options={[['', text(usual)], ...choices]}
        onChoose={sort => change({ sort })}
      />
      {isKnown && <OrderButton order={order} onChange={order => change({ sort, order })} />}
    </p>
  )
  return {
    tools,
    arrange,
    shown: useMemo(() => arrange(tracks), [arrange, tracks]),
    /** Whether all tracks are shown in their original order. */
    isUsual: !isOurs && typed === '',
    /** The clickable columns of the list. */
    columns: {
      names: new Set<string>(choices.map(([key]) => key)),
      sort,
      order,
      choose: (column: string) => change({ sort: column, order: sort === column && order === 'asc' ? 'desc' : 'asc' })
    }
  }
}
