import { useState } from 'preact/hooks'
import { Cover } from '../parts/cover.tsx'
import { dragged } from '../parts/drag-tracks.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { IconButton } from '../parts/small.tsx'
import { withLater } from '../parts/with-later.ts'
import { addTracks, knowOwnPlaylists, loadOwnPlaylists, madePlaylists, ownPlaylists } from '../state/account-lists.ts'
import { hrefOf, route } from '../state/route.ts'
import { source } from '../state/saved-sources.ts'
import { can, canBrowse, hasAccount } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text, type TextName } from '../texts/index.ts'
import { canSearch } from './search.tsx'

interface Item {
  readonly view: string
  readonly icon: IconName
  readonly name: TextName
  readonly offered: boolean
  /** Whether it is also in the bottom bar of a phone. The view *My music* of a phone has the others. */
  readonly main?: boolean
}

/** Returns the groups of links: music, library and personal lists. */
export const groups = (): readonly (readonly Item[])[] => [
  [
    { view: '', icon: 'home', name: 'home', offered: true, main: true },
    { view: 'search', icon: 'search', name: 'search', offered: canSearch(), main: true },
    { view: 'daily', icon: 'spark', name: 'daily', offered: can('dailyTracks') },
    { view: 'new', icon: 'fresh', name: 'new', offered: can('newTracks') }
  ],
  [
    { view: 'albums', icon: 'album', name: 'albums', offered: canBrowse(), main: !hasAccount() },
    {
      view: 'artists',
      icon: 'person',
      name: 'artists',
      offered: canBrowse() || can('topArtists'),
      main: !hasAccount()
    },
    { view: 'playlists', icon: 'list', name: 'playlists', offered: can('playlists'), main: !hasAccount() },
    { view: 'toplists', icon: 'chart', name: 'toplists', offered: can('toplist') }
  ],
  [
    { view: 'library', icon: 'heart', name: 'library', offered: hasAccount(), main: true },
    { view: 'queue', icon: 'queue', name: 'queue', offered: true, main: true },
    { view: 'history', icon: 'past', name: 'history', offered: true }
  ]
]

export function Sidebar () {
  const { view } = route.value
  return (
    <nav class='sidebar' aria-label={text('navigation')}>
      <a class='brand' href={hrefOf('')}>
        <span class='logo' aria-hidden='true'><i /><i /><i /><i /></span>
        <span dir='auto'>{source.value.name}</span>
      </a>
      {groups().map(items => items.filter(({ offered }) => offered)).map((items, index) => items.length > 0 && (
        <ul key={index}>
          {items.map(({ view: to, icon, name, main }) => (
            <li key={to} class={main ? '' : 'minor'}>
              <a href={hrefOf(to)} title={text(name)} aria-current={view === to ? 'page' : undefined}>
                <Icon name={icon} />
                <span>{text(name)}</span>
              </a>
              {to === 'playlists' && can('playlistMutation') && (
                <IconButton
                  icon='plus' size={18} label={text('addPlaylist')}
                  onClick={() => withLater(({ editPlaylist }) => editPlaylist(undefined, () => { loadOwnPlaylists() }))}
                />
              )}
            </li>
          ))}
        </ul>
      ))}
      {can('userPlaylists') && <OwnPlaylists />}
    </nav>
  )
}

/** Renders the user's playlists. Tracks can be dragged onto editable ones. */
function OwnPlaylists () {
  const { view, id: here } = route.value
  const [over, setOver] = useState('')
  useLoad('own playlists', knowOwnPlaylists)
  const list = ownPlaylists.value ?? []
  const takes = dragged.value.length > 0 ? new Set(madePlaylists.value) : undefined
  if (list.length === 0) return null
  return (
    <ul class='minor own' aria-label={text('myPlaylists')}>
      {list.map((playlist, index) => {
        const { id, name, coverUrl } = playlist
        const target = takes?.has(playlist) && {
          onDragOver: (event: Event) => {
            event.preventDefault()
            setOver(id)
          },
          onDragLeave: () => setOver(''),
          onDrop: (event: Event) => {
            event.preventDefault()
            setOver('')
            const tracks = dragged.value
            addTracks(playlist, async () => tracks)
          }
        }
        return (
          <li key={`${id} ${index}`} class={target ? `takes ${over === id ? 'over' : ''}` : ''} {...target}>
            <a
              href={hrefOf('playlist', id)} title={name}
              aria-current={view === 'playlist' && here === id ? 'page' : undefined}
            >
              <Cover url={coverUrl} of={{ kind: 'playlist', id }} name={name} size={28} />
              <span dir='auto'>{name}</span>
            </a>
          </li>
        )
      })}
    </ul>
  )
}
