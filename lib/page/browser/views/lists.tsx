import type {
  Album, Artist, Playlist, PlaylistCategory, Toplist, ToplistGroup, Track, UserProfile
} from '../../../client/index.ts'
import { Cards } from '../parts/cards.tsx'
import { Cover } from '../parts/cover.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/small.tsx'
import { listOf } from '../state/explain.ts'
import { forgetHeard, heard } from '../state/heard.ts'
import { loadOwnPlaylists, ownPlaylists } from '../state/library.ts'
import { playList } from '../state/player.ts'
import { hrefOf, route } from '../state/route.ts'
import { ask, can, source } from '../state/sources.ts'
import { cardsOf, tidyCard, tracksOf } from '../state/tidy.ts'
import { useLoad, usePages } from '../state/use-load.ts'
import { text, type TextName } from '../texts/index.ts'
import { Pending, Tracks } from './details.tsx'
import { editPlaylist } from './edit-playlist.tsx'
import { PagedCards } from './search.tsx'
import { View } from './view.tsx'

/** New or daily tracks. */
export function TracksView (
  { method, title }: { method: 'getNewTracks' | 'getDailyTracks' | 'userFavoriteTracks', title: TextName }
) {
  const { data, error, again } = useLoad<readonly Track[]>(
    `${method} ${source.value.url}`, async signal => tracksOf(await ask(client => client[method](), signal))
  )
  if (data === undefined) return <Pending title={text(title)} error={error} again={again} />
  return (
    <View
      title={text(title)}
      actions={data.length > 0 && (
        <button type='button' class='button primary' onClick={() => playList(data)}>
          <Icon name='play' />
          {text('play')}
        </button>
      )}
    >
      <Tracks tracks={data} empty={method === 'userFavoriteTracks' ? 'nothingFavorite' : 'nothingHere'} />
    </View>
  )
}

/** What was heard in this browser. */
export function HistoryView () {
  const tracks = heard.value
  return (
    <View
      title={text('history')}
      actions={tracks.length > 0 && (
        <button type='button' class='button' onClick={forgetHeard}>{text('clearQueue')}</button>
      )}
    >
      <Tracks tracks={tracks} />
    </View>
  )
}

export function PlaylistsView () {
  const { id: category } = route.value
  const { data: categories = [] } = useLoad(`categories ${source.value.url}`, async signal => {
    if (!can('playlistCategory')) return []
    return listOf<PlaylistCategory>(await ask(client => client.getPlaylistCategories(), signal))
  })
  useLoad(`own playlists ${source.value.url}`, loadOwnPlaylists)
  const own = ownPlaylists.value ?? []
  const pages = usePages<Playlist>(`playlists ${source.value.url} ${category}`, async (offset, signal) => {
    const page = await ask(client => client.getPlaylists(offset, 50, category || undefined), signal)
    return { ...page, items: cardsOf<Playlist>(page.items) }
  })
  return (
    <View title={text('playlists')}>
      {categories.length > 0 && (
        <nav class='segments' aria-label={text('categories')}>
          <a href={hrefOf('playlists')} {...(category === '' ? { 'aria-current': 'page' as const } : {})}>
            {text('all')}
          </a>
          {categories.map(({ key, label }) => (
            <a
              key={key} href={hrefOf('playlists', key)} dir='auto'
              {...(category === key ? { 'aria-current': 'page' as const } : {})}
            >
              {label}
            </a>
          ))}
        </nav>
      )}
      {own.length > 0 && category === '' && (
        <section class='shelf'>
          <header><h2>{text('myPlaylists')}</h2></header>
          <Cards row items={own} view='playlist' label={text('myPlaylists')} />
        </section>
      )}
      <PagedCards pages={pages} view='playlist' label={text('playlists')} empty={text('nothingHere')} />
    </View>
  )
}

export function ToplistsView () {
  const { data, error, again } = useLoad(`toplists ${source.value.url}`, async signal =>
    listOf<ToplistGroup>(await ask(client => client.getToplist(), signal)).map(
      ({ name, list }) => ({ name: String(name), list: cardsOf<Toplist>(list) })
    ))
  if (data === undefined) return <Pending title={text('toplists')} error={error} again={again} />
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
                ({ name, artistName }, at) => <span key={at} class='line'>{at + 1}. {name} – {artistName}</span>
              )
              : updateFrequency}
          />
        </section>
      ))}
    </View>
  )
}

export function ArtistsView () {
  const { data, error, again } = useLoad(
    `top artists ${source.value.url}`,
    async signal => cardsOf<Artist>(await ask(client => client.getTopArtists(), signal))
  )
  if (data === undefined) return <Pending title={text('topArtists')} error={error} again={again} />
  return (
    <View title={text('topArtists')}>
      {data.length === 0
        ? <Empty>{text('nothingHere')}</Empty>
        : <Cards items={data} view='artist' label={text('topArtists')} />}
    </View>
  )
}

/** What the account behind the source keeps. */
export function LibraryView () {
  const { id } = route.value
  const tabs = ([
    ['tracks', 'favoriteTracks', can('favoriteTracks')], ['playlists', 'myPlaylists', can('userPlaylists')],
    ['artists', 'artists', true], ['albums', 'albums', true]
  ] as const).filter(([, , offered]) => offered)
  const tab = tabs.find(([name]) => name === id)?.[0] ?? tabs[0]![0]
  return (
    <>
      {can('userProfile') && <Profile />}
      <nav class='segments' aria-label={text('library')}>
        {tabs.map(([name, label]) => (
          <a key={name} href={hrefOf('library', name)} {...(name === tab ? { 'aria-current': 'page' as const } : {})}>
            {text(label)}
          </a>
        ))}
      </nav>
      {tab === 'tracks' && <TracksView key='tracks' method='userFavoriteTracks' title='favoriteTracks' />}
      {tab === 'playlists' && <OwnPlaylists />}
      {tab === 'artists' && <Favorites key='artists' kind='artists' />}
      {tab === 'albums' && <Favorites key='albums' kind='albums' />}
    </>
  )
}

function Profile () {
  const { data } = useLoad<UserProfile>(
    `profile ${source.value.url}`, signal => ask(client => client.getUserMe(), signal)
  )
  if (data === undefined) return null
  return (
    <div class='profile'>
      <Cover url={data.avatar} name={String(data.nickname)} round />
      <span dir='auto'><strong>{data.nickname}</strong><small>{data.platform}</small></span>
    </div>
  )
}

function OwnPlaylists () {
  const { error, again } = useLoad(`own playlists ${source.value.url}`, loadOwnPlaylists)
  const list = ownPlaylists.value
  if (list === undefined) return <Pending title={text('myPlaylists')} error={error} again={again} />
  return (
    <View
      title={text('myPlaylists')}
      actions={can('playlistMutation') && (
        <button type='button' class='button' onClick={() => editPlaylist(undefined, again)}>
          <Icon name='plus' />
          {text('newPlaylist')}
        </button>
      )}
    >
      {list.length === 0
        ? <Empty>{text('nothingOwn')}</Empty>
        : (
          <Cards
            items={list} view='playlist' label={text('myPlaylists')}
            below={({ trackCount = 0 }) => text('tracksCount', { count: trackCount })}
          />
          )}
    </View>
  )
}

function Favorites ({ kind }: { kind: 'artists' | 'albums' }) {
  const method = kind === 'artists' ? 'userArtists' : 'userAlbums'
  const { data, error, again } = useLoad(`${method} ${source.value.url}`, async signal =>
    cardsOf<Artist | Album>(await ask<readonly (Artist | Album)[]>(client => client[method](), signal)).map(tidyCard))
  if (data === undefined) return <Pending title={text(kind)} error={error} again={again} />
  return (
    <View title={text(kind)}>
      {data.length === 0
        ? <Empty>{text('nothingFavorite')}</Empty>
        : <Cards items={data} view={kind === 'artists' ? 'artist' : 'album'} label={text(kind)} />}
    </View>
  )
}
