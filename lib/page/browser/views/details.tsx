import type { ComponentChildren } from 'preact'
import type { Album, Artist, ArtistDetail, Playlist, PlaylistDetail, Track } from '../../../client/index.ts'
import { Cards } from '../parts/cards.tsx'
import { ListHero } from '../parts/hero.tsx'
import { Artists, Empty, IconButton, Segments, Trouble, Waiting } from '../parts/small.tsx'
import { TrackList } from '../parts/track-list.tsx'
import type { TrackListProps } from '../parts/track-row.tsx'
import { withLater } from '../parts/with-later.ts'
import { itemOf } from '../state/explain.ts'
import { borrowed, loadOwnPlaylists, madePlaylists } from '../state/account-lists.ts'
import { loadAlbum, loadPlaylist, loadTracksOf } from '../state/load-tracks.ts'
import { loadPageOf } from '../state/more.ts'
import { playList } from '../state/player.ts'
import { hrefOf, route } from '../state/route.ts'
import { ask, can, canShare, status } from '../state/session.ts'
import { useSorting } from '../state/sorting.ts'
import { cardsOf, pageOfCards, tidyCard, tracksOf } from '../state/tidy.ts'
import { useLoad, usePages } from '../state/use-load.ts'
import { amount, day, exactly, lasting, text, type TextName } from '../texts/index.ts'
import { useArranged } from './arrange-tracks.tsx'
import { describeAlbum } from './describe-album.ts'
import { deletePlaylist, editPlaylist } from './edit-playlist.tsx'
import { OwnTracks } from './own-tracks.tsx'
import { PagedCards, PagedTracks } from './search.tsx'
import { View } from './view.tsx'

export const AlbumView = () => <OneAlbum key={route.value.id} id={route.value.id} />

function OneAlbum ({ id }: { id: string }) {
  const { data, error, retry } = useLoad(
    `album ${id}`, signal => ask(client => loadAlbum(id, client, signal), signal)
  )
  const tracks = data?.album.tracks
  const { shown, isUsual, tools, columns } = useArranged({
    sorting: useSorting(`album ${id}`), tracks, usual: 'asListed'
  })
  if (data === undefined) return <Pending title={text('album')} error={error} again={retry} cover='cover' />
  const { album, extras } = data
  const { artistName } = album
  const artist = album.artist ?? album.tracks.flatMap(({ artists }) => artists).find(({ name }) => name === artistName)
  const { facts, groups, numberOf, noteOf } = describeAlbum(album, extras)
  return (
    <View
      title={album.name}
      hero={heading => (
        <ListHero
          kind='album' item={album} tracks={shown} heading={heading}
          facts={[
            artist === undefined ? artistName : <Artists artists={[artist]} />,
            ...facts, text('tracksCount', { count: album.tracks.length }), lasting(album.tracks)
          ]}
        />
      )}
    >
      {tools}
      <Tracks
        tracks={shown} numbered columns={columns} noteOf={noteOf}
        {...isUsual
          ? { groups, numberOf }
          : { numberOf: track => numberOf(track) ?? album.tracks.indexOf(track) + 1 }}
        usualArtist={artist?.name ?? artistName}
      />
    </View>
  )
}

export function ArtistView () {
  const { id, query } = route.value
  const { data, error, retry } = useLoad(`artist ${id}`, async signal => {
    const artist = itemOf(await ask(client => client.getArtistDetail(id, 50), signal))
    return { ...tidyCard<ArtistDetail>(artist), tracks: tracksOf(artist.tracks) }
  })
  if (data === undefined) return <Pending title={text('artist')} error={error} again={retry} cover='cover round' />
  const tabs = [['top', 'topTracks'], ['tracks', 'tracks'], ['albums', 'albums']] as const
  const tab = tabs.find(([name]) => name === query.get('show'))?.[0] ?? 'top'
  return (
    <View
      title={data.name}
      hero={heading => (
        <ListHero
          kind='artist' item={data} cover={data.avatarUrl || data.coverUrl} tracks={data.tracks} heading={heading}
          all={() => loadTracksOf('artist', id)}
          facts={[]}
        />
      )}
    >
      <Segments
        label={text('kinds')}
        items={tabs.map(([show, label]) =>
          ({ name: text(label), href: hrefOf('artist', id, { show }), isHere: show === tab }))}
      />
      {tab === 'top' && (
        <>
          <Tracks tracks={data.tracks.slice(0, mostTop)} usualArtist={data.name} />
          <ArtistRows key={id} artist={data} />
        </>
      )}
      {tab === 'tracks' && <ArtistTracks key={id} id={id} />}
      {tab === 'albums' && <ArtistAlbums key={id} id={id} />}
    </View>
  )
}

/** The number of top tracks shown. */
const mostTop = 10
/** The maximum number of tracks of a single. */
const mostOfSingle = 3

/** Renders an artist's releases, other appearances, and similar artists. */
function ArtistRows ({ artist: { id, name, tracks } }: { artist: ArtistDetail }) {
  const { data: albums = [] } = useLoad(`artist releases ${id}`, async signal =>
    cardsOf<Album>((await ask(client => client.getArtistAlbums(id, 0, 50), signal)).items))
  const { data: similar = [] } = useLoad(`artist similar ${id}`, async signal => {
    const [track] = tracks
    if (track === undefined || !can('similarTracks')) return []
    const artists = tracksOf(await ask(client => client.getSimilarTracks(track.id), signal))
      .flatMap(({ artists }) => artists.slice(0, 1)).filter(artist => artist.id !== '' && artist.id !== id)
    return [...new Map(artists.map(artist => [artist.id, artist])).values()]
  })
  const isOwn = ({ artistName = name }: Album) => artistName === name
  const isSingle = ({ trackCount = Infinity }: Album) => trackCount <= mostOfSingle
  const own = albums.filter(isOwn)
  const heardOn = new Map([...albums, ...tracks.map(({ album }) => album)].map(album => [album.id, album]))
  return (
    <>
      {([
        ['albums', 'album', own.filter(album => !isSingle(album))],
        ['singles', 'album', own.filter(isSingle)],
        ['appearsOn', 'album', [...heardOn.values()].filter(album => album.id !== '' && !isOwn(album))],
        ['similarArtists', 'artist', similar]
      ] as const).map(([title, view, items]) => items.length > 0 && (
        <section key={title} class='card-row'>
          <header><h2>{text(title)}</h2></header>
          <Cards<Album | Artist> row items={items} view={view} label={text(title)} />
        </section>
      ))}
    </>
  )
}

function ArtistTracks ({ id }: { id: string }) {
  const pages = usePages<Track>(
    `artist tracks ${id}`, (offset, signal) => loadPageOf('artist', id, offset, signal), false, { list: 'artist', id }
  )
  return <PagedTracks pages={pages} label={text('tracks')} empty={text('nothingHere')} />
}

function ArtistAlbums ({ id }: { id: string }) {
  const pages = usePages<Album>(`artist albums ${id}`, async (offset, signal) =>
    pageOfCards(await ask(client => client.getArtistAlbums(id, offset, 50), signal)))
  return <PagedCards pages={pages} view='album' label={text('albums')} empty={text('nothingHere')} />
}

/** Returns the number and length of the tracks, or the number of tracks that the source returns. */
function countOf ({ tracks, trackCount = 0 }: Pick<PlaylistDetail, 'tracks' | 'trackCount'>): readonly string[] {
  const { length } = tracks
  return trackCount > length && length > 0
    ? [text('firstOf', { count: exactly(length), all: exactly(trackCount) })]
    : [text('tracksCount', { count: length }), lasting(tracks)]
}

export const PlaylistView = () => <OnePlaylist key={route.value.id} id={route.value.id} />

function OnePlaylist ({ id }: { id: string }) {
  const options = status.value?.playlistSortOptions ?? []
  const sorting = useSorting(`playlist ${id}`)
  const { order } = sorting
  // The source sorts by its own options; columns are sorted here.
  const sort = options.some(({ key }) => key === sorting.sort) ? sorting.sort : ''
  const { data, error, again, retry } = useLoad(
    `playlist ${id} ${sort} ${order}`,
    signal => ask(client => loadPlaylist(id, client, { sort, order }, signal), signal), true, true
  )
  // The ownership of the playlist determines the available actions.
  useLoad('own playlists', async signal => {
    const isKnown = madePlaylists.value.some(playlist => playlist.id === id)
    if (can('playlistMutation') && !isKnown) await loadOwnPlaylists(signal)
  })
  const isWhole = data !== undefined && data.tracks.length >= (data.trackCount ?? 0)
  const { shown, arrange, isUsual, tools, columns } = useArranged({
    sorting, tracks: data?.tracks, usual: 'ownOrder', options, isWhole
  })
  if (data === undefined) return <Pending title={text('playlist')} error={error} again={retry} cover='cover' />
  const isOwn = can('playlistMutation') && madePlaylists.value.some(playlist => playlist.id === id)
  return (
    <View
      title={data.name}
      hero={heading => (
        <ListHero
          kind='playlist' item={data} tracks={shown} whole={data.tracks} heading={heading}
          facts={[
            data.creator?.name,
            ...countOf(data),
            typeof data.playCount === 'number' && text('playsCount', { count: amount(data.playCount) }),
            typeof data.updatedAt === 'number' && day(data.updatedAt)
          ]}
          controls={isOwn && (
            <>
              <IconButton icon='edit' label={text('edit')} onClick={() => editPlaylist(data, again)} />
              {!borrowed.value.includes(id) && (
                <>
                  {canShare() && (
                    <IconButton
                      icon='person' label={text('share')}
                      onClick={() => withLater(({ sharePlaylist }) => sharePlaylist(data))}
                    />
                  )}
                  <IconButton icon='trash' label={text('delete')} onClick={() => deletePlaylist(data, isWhole)} />
                </>
              )}
            </>
          )}
        />
      )}
    >
      {tools}
      {isOwn
        ? (
          <OwnTracks
            id={id} tracks={data.tracks} isOrdered={sort === '' && isWhole} arrange={arrange} isUsual={isUsual}
            columns={columns} again={again}
          />
          )
        : <Tracks tracks={shown} columns={columns} />}
    </View>
  )
}

export const ToplistView = () => <OneToplist key={route.value.id} id={route.value.id} />

function OneToplist ({ id }: { id: string }) {
  const pages = usePages<Track, Playlist>(
    `toplist ${id}`, (offset, signal) => loadPageOf('toplist', id, offset, signal), false, { list: 'toplist', id }
  )
  const { about: first } = pages
  return (
    <View
      // A new heading element for another list, so that it receives the focus.
      key={first === undefined ? 'none' : 'some'} title={first?.name ?? text('toplist')}
      hero={first === undefined
        ? heroPlaces(pages.error, 'cover')
        : heading => (
          <ListHero
            kind='toplist' item={first} tracks={pages.items} rest={pages.rest} heading={heading}
            {...(pages.hasMore && { all: () => loadTracksOf('toplist', id) })}
            facts={[text('tracksCount', { count: Math.max(first.trackCount ?? 0, pages.items.length) })]}
          />
        )}
    >
      <PagedTracks pages={pages} label={text('tracks')} empty={text('nothingHere')} />
    </View>
  )
}

/** Renders a complete list of tracks. */
export function Tracks ({ tracks, empty = 'nothingHere', ...shown }: {
  tracks: readonly Track[], empty?: TextName
} & Pick<TrackListProps, 'columns' | 'numbered' | 'groups' | 'numberOf' | 'noteOf' | 'usualArtist'>) {
  if (tracks.length === 0) return <Empty>{text(empty)}</Empty>
  return <TrackList {...shown} tracks={tracks} label={text('tracks')} play={index => playList(tracks, index)} />
}

/** Returns placeholders for the cover, heading and buttons of a hero; nothing after an error. */
const heroPlaces = (error: string, cover: string | undefined) => error !== '' || cover === undefined
  ? undefined
  : (heading: ComponentChildren) => (
    <header class='hero'>
      <i class={cover} />
      <div class='hero-text'>
        {heading}
        <div class='actions'><span class='button'>{'\u00a0'.repeat(16)}</span></div>
      </div>
    </header>
    )

/**
 * Renders a view whose data is not loaded yet.
 *
 * @param cover classes of the cover of its hero; absent = no hero
 */
export function Pending ({ title, error, again, of = 'rows', cover }: {
  title: string, error: string, again: (() => void) | undefined, of?: 'covers' | 'rows', cover?: string
}) {
  return (
    <View title={title} hero={heroPlaces(error, cover)}>
      {error === '' ? <Waiting of={of} /> : <Trouble message={error} again={again} />}
    </View>
  )
}
