import type { ComponentChildren } from 'preact'
import type {
  Album, Artist, Playlist, PlaylistCategory, Toplist, ToplistGroup, Track, UserProfile
} from '../../../client/index.ts'
import { Cards, isGenre } from '../parts/cards.tsx'
import { Cover } from '../parts/cover.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Segments } from '../parts/small.tsx'
import { listOf } from '../state/explain.ts'
import { forgetHeard, heard, loadHistory } from '../state/heard.ts'
import { loadOwnPlaylists, ownPlaylists } from '../state/account-lists.ts'
import { say } from '../state/notices.ts'
import { playList } from '../state/player.ts'
import { hrefOf, route } from '../state/route.ts'
import { ask, can } from '../state/session.ts'
import { useSorting } from '../state/sorting.ts'
import { cardsOf, pageOfCards, tracksOf } from '../state/tidy.ts'
import { useLoad, usePages } from '../state/use-load.ts'
import { text, type TextName } from '../texts/index.ts'
import { useArranged } from './arrange-tracks.tsx'
import { Pending, Tracks } from './details.tsx'
import { editPlaylist } from './edit-playlist.tsx'
import { PagedCards, PagedTracks } from './search.tsx'
import { groups } from './sidebar.tsx'
import { View } from './view.tsx'

/** Renders new or daily tracks. */
function TracksView (
  { method, title }: { method: 'getNewTracks' | 'getDailyTracks' | 'userFavoriteTracks', title: TextName }
) {
  const { data, error, retry } = useLoad<readonly Track[]>(
    method, async signal => tracksOf(await ask(client => client[method](), signal))
  )
  const { shown, tools, columns } = useArranged({ sorting: useSorting(method), tracks: data, usual: 'asListed' })
  if (data === undefined) return <Pending title={text(title)} error={error} again={retry} />
  const play = shown.length > 0 && (
    <button type='button' class='button primary' onClick={() => playList(shown)}>
      <Icon name='play' />
      {text('play')}
    </button>
  )
  const empty = method === 'userFavoriteTracks' ? 'nothingFavorite' : 'nothingHere'
  return (
    <View title={text(title)} actions={play}>
      {tools}
      <Tracks tracks={shown} columns={columns} empty={data.length > 0 ? 'nothingHere' : empty} />
    </View>
  )
}

export const NewView = () => <TracksView method='getNewTracks' title='new' />
export const DailyView = () => <TracksView method='getDailyTracks' title='daily' />

function clearHeard (): void {
  const undo = forgetHeard()
  say(text('historyCleared'), false, { label: text('undo'), run: undo })
}

/** Renders the account's play history of all its apps, if the source stores it; else the history of this browser. */
export function HistoryView () {
  const pages = usePages<Track, boolean>('history', loadHistory, false, { list: 'history', id: '' })
  if (pages.about === false) return <OwnHistory />
  return (
    <View title={text('history')}>
      <PagedTracks pages={pages} label={text('history')} empty={text('nothingHere')} />
    </View>
  )
}

function OwnHistory () {
  const tracks = heard.value
  const clear = tracks.length > 0 && (
    <button type='button' class='button' onClick={clearHeard}>{text('clearQueue')}</button>
  )
  return <View title={text('history')} actions={clear}><Tracks tracks={tracks} /></View>
}

export function PlaylistsView () {
  const { id: category } = route.value
  const { data: categories = [] } = useLoad('categories', async signal =>
    can('playlistCategory')
      ? listOf<PlaylistCategory>(await ask(client => client.getPlaylistCategories(), signal))
      : [])
  useLoad('own playlists', loadOwnPlaylists)
  const own = ownPlaylists.value ?? []
  const pages = usePages<Playlist>(`playlists ${category}`, async (offset, signal) =>
    pageOfCards(await ask(client => client.getPlaylists(offset, 50, category || undefined), signal)))
  const segments = [{ key: undefined, label: text('all') }, ...categories].map(({ key, label }) =>
    ({ name: label, href: hrefOf('playlists', key), isHere: category === (key ?? '') }))
  return (
    <View title={text('playlists')}>
      {categories.length > 0 && <Segments label={text('categories')} items={segments} />}
      {own.length > 0 && category === '' && (
        <section class='card-row'>
          <header><h2>{text('myPlaylists')}</h2></header>
          <Cards row items={own} view='playlist' label={text('myPlaylists')} />
        </section>
      )}
      <PagedCards
        key={category} pages={pages} view='playlist' label={text('playlists')} empty={text('nothingHere')}
        apart={category === '' ? { has: isGenre, title: text('genres') } : undefined}
      />
    </View>
  )
}

export function ToplistsView () {
  const { data, error, retry } = useLoad('toplists', async signal =>
    listOf<ToplistGroup>(await ask(client => client.getToplist(), signal)).map(
      ({ name, list }) => ({ name: String(name), list: cardsOf<Toplist>(list) })
    ))
  if (data === undefined) return <Pending title={text('toplists')} error={error} again={retry} of='covers' />
  return (
    <View title={text('toplists')}>
      {data.length === 0 && <Empty>{text('nothingHere')}</Empty>}
      {data.map(({ name, list }, index) => (
        <section key={index} class='card-row'>
          <header><h2 dir='auto'>{name}</h2></header>
          <Cards
            items={list} view='toplist' label={name}
            below={({ tracks, updateFrequency }) => Array.isArray(tracks) && tracks.length > 0
              ? tracks.slice(0, 3).map(
                ({ name, artistName }, at) => (
                  <span key={at} class='line'>{at + 1}. <bdi>{name}</bdi> – <bdi>{artistName}</bdi></span>
                )
              )
              : updateFrequency}
          />
        </section>
      ))}
    </View>
  )
}

interface CardsViewProps<T extends Album | Artist> {
  readonly title: TextName
  readonly view: 'album' | 'artist'
  readonly empty?: TextName | undefined
  readonly load: (signal: AbortSignal) => Promise<readonly T[]>
}

function CardsView<T extends Album | Artist> ({ title, view, empty, load }: CardsViewProps<T>) {
  const { data, error, retry } = useLoad(title, async signal => cardsOf<T>(await load(signal)))
  if (data === undefined) return <Pending title={text(title)} error={error} again={retry} of='covers' />
  return (
    <View title={text(title)}><Cards items={data} view={view} label={text(title)} empty={empty} /></View>
  )
}

export const ArtistsView = () =>
  <CardsView title='topArtists' view='artist' load={signal => ask(client => client.getTopArtists(), signal)} />

/** Renders the stored favourites and playlists of the account. */
export function LibraryView () {
  const { id } = route.value
  const all: Readonly<Record<string, [title: TextName, content: ComponentChildren, isOffered?: boolean]>> = {
    tracks: [
      'favoriteTracks', <TracksView key='tracks' method='userFavoriteTracks' title='favoriteTracks' />,
      can('favoriteTracks')
    ],
    playlists: ['myPlaylists', <OwnPlaylists key='playlists' />, can('userPlaylists')],
    artists: [
      'artists',
      <CardsView
        key='artists' title='artists' view='artist' empty='nothingFavorite'
        load={signal => ask(client => client.userArtists(), signal)}
      />
    ],
    albums: [
      'albums',
      <CardsView
        key='albums' title='albums' view='album' empty='nothingFavorite'
        load={signal => ask(client => client.userAlbums(), signal)}
      />
    ]
  }
  const tabs = Object.entries(all).filter(([, [, , isOffered = true]]) => isOffered)
  const [here, [, content]] = tabs.find(([name]) => name === id) ?? tabs[0]!
  return (
    <>
      {can('userProfile') && <Profile />}
      <Places />
      <Segments
        label={text('library')}
        items={tabs.map(([key, [title]]) =>
          ({ name: text(title), href: hrefOf('library', key), isHere: key === here }))}
      />
      {content}
    </>
  )
}

/** Renders links to the views that the bar of a phone has no room for. */
const Places = () => (
  <nav class='places' aria-label={text('places')}>
    {groups().flat().filter(({ offered, main }) => offered && !main).map(({ view, icon, name }) => (
      <a key={view} href={hrefOf(view)}>
        <Icon name={icon} />
        {text(name)}
      </a>
    ))}
  </nav>
)

function Profile () {
  const { data } = useLoad<UserProfile>('profile', signal => ask(client => client.getUserMe(), signal))
  if (data === undefined) return null
  return (
    <div class='profile'>
      <Cover url={data.avatar} name={String(data.nickname)} size={56} round />
      <span dir='auto'><strong>{data.nickname}</strong><small>{data.platform}</small></span>
    </div>
  )
}

function OwnPlaylists () {
  const { error, again, retry } = useLoad('own playlists', loadOwnPlaylists)
  const list = ownPlaylists.value
  if (list === undefined) return <Pending title={text('myPlaylists')} error={error} again={retry} of='covers' />
  const create = can('playlistMutation') && (
    <button type='button' class='button' onClick={() => editPlaylist(undefined, again)}>
      <Icon name='plus' />
      {text('newPlaylist')}
    </button>
  )
  return (
    <View title={text('myPlaylists')} actions={create}>
      <Cards items={list} view='playlist' label={text('myPlaylists')} empty='nothingOwn' />
    </View>
  )
}
