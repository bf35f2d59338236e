import { Cover } from '../parts/cover.tsx'
import { Empty, IconButton } from '../parts/small.tsx'
import { coverOf } from '../state/covers.ts'
import { jumpTo } from '../state/player.ts'
import { panel, togglePanel } from '../state/panel.ts'
import { current, entries, index } from '../state/queue.ts'
import { hrefOf } from '../state/route.ts'
import { can } from '../state/session.ts'
import { text } from '../texts/index.ts'
import { Lyrics } from './now-playing.tsx'

/** The maximum number of listed tracks; the queue view lists all. */
const maxEntries = 50

/** Renders the queue or the lyrics next to a view, if there is space. */
export function SidePanel () {
  const name = panel.value
  const id = current.value?.track.id
  if (name === '' || (name === 'lyrics' && !can('lyrics'))) return null
  return (
    <aside class='side-panel' aria-label={text(name)}>
      <header>
        <h2>{text(name)}</h2>
        {name === 'queue' && (
          <a href={hrefOf('queue')} aria-label={text('allOf', { name: text(name) })}>{text('all')}</a>
        )}
        <IconButton icon='close' label={text('close')} onClick={() => togglePanel(name)} />
      </header>
      {id === undefined
        ? <Empty>{text('nothingPlaying')}</Empty>
        : name === 'lyrics' ? <Lyrics key={id} id={id} /> : <ToCome />}
    </aside>
  )
}

function ToCome () {
  const at = index.value
  return (
    <ul class='to-come'>
      {entries.value.slice(at, at + maxEntries).map(({ key, track }, offset) => (
        <li key={key} aria-current={offset === 0 ? 'true' : undefined}>
          <button
            type='button' aria-label={text('playTitle', { title: track.title })} onClick={() => jumpTo(at + offset)}
          >
            <Cover url={track.album.coverUrl} of={coverOf(track)} name={track.album.name || track.title} size={40} />
            <span>
              <span dir='auto'>{track.title}</span>
              <small dir='auto'>{track.artists.map(({ name }) => name).join(', ')}</small>
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
