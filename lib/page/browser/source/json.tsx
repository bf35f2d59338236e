import { useState } from 'preact/hooks'
import type { AdapterMethod } from '../../../client/index.ts'
import { text } from '../texts/index.ts'
import { openForm } from './open-form.ts'

/** Depth from which on values are folded. */
const folded = 5

type Fields = Readonly<Record<string, unknown>>

/** What gives the details of something with an id, told by what is only there in such things. */
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
  /** What is searched for, in small letters. */
  readonly wanted: string
  /** What gives the details of the thing whose id this is. */
  readonly method?: AdapterMethod | undefined
  /** Name of the list or the method that the value is from. */
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
  // Of a thing that has it in a member of its own, all is shown.
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

/** An answer with parts that fold, in which one searches. An id leads to the form that gives its details. */
export function Json ({ value, method }: { value: unknown, method: AdapterMethod }) {
  const [wanted, setWanted] = useState('')
  return (
    <>
      <input
        type='search' aria-label={text('find')} placeholder={text('find')} value={wanted}
        onInput={event => setWanted(event.currentTarget.value)}
        // It stands in a form.
        onKeyDown={event => { if (event.key === 'Enter') event.preventDefault() }}
      />
      <div class='answer json' role='region' tabIndex={0} aria-label={text('answer')}>
        <Node name='' value={value} depth={0} wanted={wanted.trim().toLowerCase()} parent={method} />
      </div>
    </>
  )
}
