import { useEffect } from 'preact/hooks'
import type { ComponentType } from 'preact'
import { DialogPlace } from './parts/dialog.tsx'
import { Later } from './parts/later.tsx'
import { PlayerBar } from './parts/player-bar.tsx'
import { Progress } from './parts/progress.tsx'
import { IconButton } from './parts/small.tsx'
import { configuration } from './state/configuration.ts'
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
import { AlbumView, ArtistView, PlaylistView, ToplistView } from './views/details.tsx'
import type { BrowseKind } from './views/browse.tsx'
import { Home } from './views/home.tsx'
import { ArtistsView, HistoryView, LibraryView, PlaylistsView, ToplistsView, TracksView } from './views/lists.tsx'
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
const loadSources = () => import('./later.ts').then(({ Sources }) => Sources)
const loadHousehold = () => import('./later.ts').then(({ Household }) => Household)
const loadProviders = () => import('./later.ts').then(({ Providers }) => Providers)
const loadSourceTab = () => import('./source/source-tab.tsx').then(({ SourceTab }) => SourceTab)

const views: Readonly<Record<string, ComponentType>> = {
  album: AlbumView,
  albums: () => canBrowse() ? <Later key='albums' load={loadAlbums} of='covers' /> : <Home />,
  artist: ArtistView,
  artists: () => canBrowse() ? <Later key='artists' load={loadArtists} of='covers' /> : <ArtistsView />,
  composers: () => canBrowse() ? <Later key='composers' load={loadComposers} /> : <Home />,
  daily: () => <TracksView key='daily' method='getDailyTracks' title='daily' />,
  genres: () => canBrowse() ? <Later key='genres' load={loadGenres} /> : <Home />,
  history: HistoryView,
  household: () => canManage() && isOwn(source.value) ? <Later load={loadHousehold} /> : <Home />,
  library: LibraryView,
  new: () => <TracksView key='new' method='getNewTracks' title='new' />,
  playing: NowPlaying,
  playlist: PlaylistView,
  playlists: PlaylistsView,
  queue: Queue,
  search: Search,
  source: () => <Later load={loadSourceTab} />,
  sources: () => <Later load={loadSources} />,
  toplist: ToplistView,
  toplists: ToplistsView
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
      </header>
      <main id='main' tabIndex={-1}><Current key={source.value.url} /></main>
      <SidePanel />
      <Notices />
      <PlayerBar />
      <DialogPlace />
    </div>
  )
}
