import { useEffect } from 'preact/hooks'
import type { ComponentType } from 'preact'
import { DialogPlace } from './parts/dialog.tsx'
import { Later } from './parts/later.tsx'
import { PlayerBar } from './parts/player-bar.tsx'
import { Progress } from './parts/progress.tsx'
import { IconButton } from './parts/small.tsx'
import { configuration } from './state/configuration.ts'
import { isLost } from './state/connection.ts'
import { focusPlayer } from './parts/keys.ts'
import { dismiss, notices } from './state/notices.ts'
import { playing } from './state/player-state.ts'
import { current } from './state/queue.ts'
import { route } from './state/route.ts'
import { isOwn } from './state/own.ts'
import { source } from './state/saved-sources.ts'
import { canBrowse, canManage, session } from './state/session.ts'
import { languageTag, text } from './texts/index.ts'
import { Avatar } from './views/account-menu.tsx'
import type { BrowseKind } from './views/browse.tsx'
import { Home } from './views/home.tsx'
import { NowPlaying } from './views/now-playing.tsx'
import { Queue } from './views/queue.tsx'
import { canSearch, Search, SearchField } from './views/search.tsx'
import { SidePanel } from './views/side-panel.tsx'
import { Sidebar } from './views/sidebar.tsx'
import { SignIn } from './views/sign-in.tsx'
import { viewTitle } from './views/view.tsx'

const loadBrowse = (kind: BrowseKind) => () =>
  import('./views/browse.tsx').then(({ Browse }) => () => <Browse kind={kind} />)
const loadNames = (kind: BrowseKind) => () =>
  import('./views/browse.tsx').then(({ Names }) => () => <Names kind={kind} />)
const loadAlbums = loadBrowse('albums')
const loadArtists = loadBrowse('artists')
const loadGenres = loadNames('albums')
const loadComposers = loadNames('artists')
const loadProviders = () => import('./later.ts').then(({ Providers }) => Providers)
const loadSourceTab = () => import('./source/source-tab.tsx').then(({ SourceTab }) => SourceTab)

/** Returns a view that the first view does not need. */
function viewOf (
  name: 'AlbumView' | 'ArtistView' | 'ArtistsView' | 'DailyView' | 'HistoryView' | 'LibraryView' | 'NewView' |
  'PlaylistView' | 'PlaylistsView' | 'ToplistView' | 'ToplistsView', of?: 'covers' | 'rows'
): ComponentType {
  const load = () => import('./later-views.ts').then(parts => parts[name])
  return () => <Later load={load} of={of} />
}
const TopArtists = viewOf('ArtistsView', 'covers')

/** Returns a view of the rarely used parts. */
function rareView (name: 'Household' | 'Sources'): ComponentType {
  const load = () => import('./later.ts').then(parts => parts[name])
  return () => <Later load={load} />
}
const HouseholdView = rareView('Household')

const views: Readonly<Record<string, ComponentType>> = {
  album: viewOf('AlbumView', 'rows'),
  albums: () => canBrowse() ? <Later key='albums' load={loadAlbums} of='covers' /> : <Home />,
  artist: viewOf('ArtistView', 'rows'),
  artists: () => canBrowse() ? <Later key='artists' load={loadArtists} of='covers' /> : <TopArtists />,
  composers: () => canBrowse() ? <Later key='composers' load={loadComposers} /> : <Home />,
  daily: viewOf('DailyView', 'rows'),
  genres: () => canBrowse() ? <Later key='genres' load={loadGenres} /> : <Home />,
  history: viewOf('HistoryView', 'rows'),
  household: () => canManage() && isOwn(source.value) ? <HouseholdView /> : <Home />,
  library: viewOf('LibraryView'),
  new: viewOf('NewView', 'rows'),
  playing: NowPlaying,
  playlist: viewOf('PlaylistView', 'rows'),
  playlists: viewOf('PlaylistsView', 'covers'),
  queue: Queue,
  search: Search,
  source: () => <Later load={loadSourceTab} />,
  sources: rareView('Sources'),
  toplist: viewOf('ToplistView', 'rows'),
  toplists: viewOf('ToplistsView', 'covers')
}

function Notices () {
  return (
    <div class='notices' role='status' aria-live='polite'>
      {notices.value.map(({ id, text: said, isError, action }) => (
        <div key={id} class={isError ? 'notice bad' : 'notice'}>
          <span>{said}</span>
          {action !== undefined && (
            <button type='button' class='button' onClick={() => { dismiss(id); action.run() }}>{action.label}</button>
          )}
          <IconButton icon='close' size={18} label={text('close')} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}

export function App () {
  const { view } = route.value
  const track = current.value?.track
  const isPlaying = playing.value
  const title = session.value === 'open' ? viewTitle.value : ''
  useEffect(() => { document.documentElement.lang = languageTag() })
  useEffect(() => {
    const heard = isPlaying && track ? [track.title, track.artists.map(({ name }) => name).join(', ')] : []
    document.title = [...new Set([...heard, title, source.value.name])].filter(Boolean).join(' – ')
  })
  if (session.value !== 'open') {
    return <main><SignIn key={source.value.url} loadProviders={loadProviders} /><Notices /></main>
  }
  const Current = Object.hasOwn(views, view) ? views[view]! : Home
  return (
    <div class={view === 'playing' ? 'shell is-playing' : 'shell'}>
      <a
        class='skip' href='#main'
        onClick={event => { event.preventDefault(); document.getElementById('main')!.focus() }}
      >
        {text('skip')}
      </a>
      <a class='skip' href='#player' onClick={event => { event.preventDefault(); focusPlayer() }}>
        {text('skipToPlayer')}
      </a>
      <Sidebar />
      <header class='top'>
        {canSearch() && <SearchField />}
        <Avatar />
        {configuration.progress && isOwn(source.value) && <Progress />}
        <p class='lost' role='status'>{isLost.value && text(navigator.onLine ? 'errorConnection' : 'offline')}</p>
      </header>
      <main id='main' tabIndex={-1}><Current key={source.value.url} /></main>
      <SidePanel />
      <Notices />
      <PlayerBar />
      <DialogPlace />
    </div>
  )
}
