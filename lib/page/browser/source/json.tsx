import { useState } from 'preact/hooks'
import type { AdapterMethod } from '../../../client/index.ts'
import { text } from '../texts/index.ts'
import { openForm } from './open-form.ts'

/** The depth from which values are collapsed. */
const folded = 5

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the method that returns the details of an item. Its kind is recognised by a property that only that kind has.
 */
function methodFor (item: Fields, parent: string): AdapterMethod | undefined {
  if (Object.hasOwn(item, 'durationMs')) return 'getTrackDetail'
  if (Object.hasOwn(item, 'updateFrequency')) return 'getToplistTracks'
  if (Object.hasOwn(item, 'creator') || /playlist/i.test(parent)) return 'getPlaylistDetail'
  if (Object.hasOwn(item, 'artistName') || /album/i.test(parent)) return 'getAlbumDetail'
  return /artist/i.test(parent) ? 'getArtistDetail' : undefined
}

const has = (value: unknown, wanted: string) => JSON.stringify(value).toLowerCase().includes(wanted)

interface NodeProps {
  readonly name: string
  readonly value: unknown
  readonly depth: number
  /** The search text in lower case. */
  readonly wanted: string
  /** The method that returns the details of the item with this id. */
  readonly method?: AdapterMethod | undefined
  /** The name of the list or method that the value comes from. */
  readonly parent: string
}

function Node ({ name, value, depth, wanted, method, parent }: NodeProps) {
  const label = name === '' ? '' : `${JSON.stringify(name)}: `
  if (typeof value !== 'object' || value === null) {
    const shown = JSON.stringify(value)
    return (
      <div>
        {label}
        {method === undefined
          ? <span class='value'>{shown}</span>
          : (
            <button type='button' class='plain' onClick={() => openForm(method, { id: String(value) })}>{shown}</button>
            )}
      </div>
    )
  }
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const isFound = ([name, value]: [string, unknown]) => has({ [name]: value }, wanted)
  // If the match is in a direct property of an item, the complete item is shown.
  const isWhole = !isList && entries.some(entry => typeof entry[1] !== 'object' && isFound(entry))
  const found = isWhole ? entries : entries.filter(isFound)
  return (
    <details open={wanted !== '' || depth < folded}>
      <summary>{label}{isList ? `[${entries.length}]` : `{${entries.length}}`}</summary>
      {found.map(([key, inner]) => (
        <Node
          key={key} name={isList ? '' : key} value={inner} depth={depth + 1} wanted={isWhole ? '' : wanted}
          parent={isList || key === 'items' || key === 'data' ? parent : key}
          method={key === 'id' && inner !== '' ? methodFor(value as Fields, parent) : undefined}
        />
      ))}
    </details>
  )
}

/** Renders a searchable response with collapsible parts. An id links to the form that requests its details. */
export function Json ({ value, method }: { value: unknown, method: AdapterMethod }) {
  const [wanted, setWanted] = useState('')
  return (
    <>
      <input
        type='search' aria-label={text('find')} placeholder={text('find')} value={wanted}
        onInput={event => setWanted(event.currentTarget.value)}
        // It is inside a form.
        onKeyDown={event => { if (event.key === 'Enter') event.preventDefault() }}
      />
      <div class='answer json' role='region' tabIndex={0} aria-label={text('answer')}>
        <Node name='' value={value} depth={0} wanted={wanted.trim().toLowerCase()} parent={method} />
      </div>
    </>
  )
}
