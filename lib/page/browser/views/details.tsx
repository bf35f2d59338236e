import type { Album, ArtistDetail, Playlist, PlaylistDetail, Track } from '../../../client/index.ts'
import { DetailHead } from '../parts/detail-head.tsx'
import { Artists, Choice, Empty, IconButton, OrderButton, Segments, Trouble, Waiting } from '../parts/small.tsx'
import { TrackList } from '../parts/track-list.tsx'
import type { TrackListProps } from '../parts/track-row.tsx'
import { itemOf } from '../state/explain.ts'
import { knowOwnPlaylists, madePlaylists } from '../state/library.ts'
import { loadAlbum, loadPlaylist } from '../state/load-tracks.ts'
import { playList } from '../state/player.ts'
import { hrefOf, route } from '../state/route.ts'
import { ask, can, status } from '../state/sources.ts'
import { pageOfCards, pageOfTracks, tidyCard, tracksOf } from '../state/tidy.ts'
import { useKept, useLoad, usePages } from '../state/use-load.ts'
import { amount, day, exactly, lasting, text, type TextName } from '../texts/index.ts'
import { describeAlbum } from './describe-album.ts'
import { deletePlaylist, editPlaylist } from './edit-playlist.tsx'
import { OwnTracks } from './own-tracks.tsx'
import { PagedCards, PagedTracks } from './search.tsx'
import { View } from './view.tsx'

export function AlbumView () {
  const { id } = route.value
  const { data, error, again } = useLoad(
    `album ${id}`, signal => ask(client => loadAlbum(id, client, signal), signal)
  )
  if (data === undefined) return <Pending title={text('album')} error={error} again={again} />
  const { album, extras } = data
  const { tracks, artist, artistName } = album
  const { facts, groups, numberOf, noteOf } = describeAlbum(album, extras)
  return (
    <View title={album.name}>
      <DetailHead
        kind='album' item={album} tracks={tracks}
        facts={[
          text('album'), artist === undefined ? artistName : <Artists artists={[artist]} />,
          ...facts, text('tracksCount', { count: tracks.length }), lasting(tracks)
        ]}
      />
      <Tracks tracks={tracks} numbered groups={groups} numberOf={numberOf} noteOf={noteOf} />
    </View>
  )
}

export function ArtistView () {
  const { id, query } = route.value
  const { data, error, again } = useLoad(`artist ${id}`, async signal => {
    const artist = itemOf(await ask(client => client.getArtistDetail(id, 50), signal))
    return { ...tidyCard<ArtistDetail>(artist), tracks: tracksOf(artist.tracks) }
  })
  if (data === undefined) return <Pending title={text('artist')} error={error} again={again} />
  const tabs = [['top', 'topTracks'], ['tracks', 'tracks'], ['albums', 'albums']] as const
  const tab = tabs.find(([name]) => name === query.get('show'))?.[0] ?? 'top'
  return (
    <View title={data.name}>
      <DetailHead
        kind='artist' item={data} cover={data.avatarUrl || data.coverUrl} tracks={data.tracks} facts={[text('artist')]}
      />
      <Segments
        label={text('kinds')}
        items={tabs.map(([show, label]) =>
          ({ name: text(label), href: hrefOf('artist', id, { show }), isHere: show === tab }))}
      />
      {tab === 'top' && <Tracks tracks={data.tracks} />}
      {tab === 'tracks' && <ArtistTracks key={id} id={id} />}
      {tab === 'albums' && <ArtistAlbums key={id} id={id} />}
    </View>
  )
}

function ArtistTracks ({ id }: { id: string }) {
  const pages = usePages<Track>(`artist tracks ${id}`, async (offset, signal) =>
    pageOfTracks(await ask(client => client.getArtistTracks(id, 'hot', offset, 100), signal)))
  return <PagedTracks pages={pages} label={text('tracks')} empty={text('nothingHere')} />
}

function ArtistAlbums ({ id }: { id: string }) {
  const pages = usePages<Album>(`artist albums ${id}`, async (offset, signal) =>
    pageOfCards(await ask(client => client.getArtistAlbums(id, offset, 50), signal)))
  return <PagedCards pages={pages} view='album' label={text('albums')} empty={text('nothingHere')} />
}

/** How many tracks it has and how long they are, or how many of them the source shows. */
function countOf ({ tracks, trackCount = 0 }: Pick<PlaylistDetail, 'tracks' | 'trackCount'>): readonly string[] {
  const { length } = tracks
  return trackCount > length && length > 0
    ? [text('firstOf', { count: exactly(length), all: exactly(trackCount) })]
    : [text('tracksCount', { count: length }), lasting(tracks)]
}

export const PlaylistView = () => <OnePlaylist key={route.value.id} id={route.value.id} />

function OnePlaylist ({ id }: { id: string }) {
  const [sort, setSort] = useKept('sort', '')
  const [order, setOrder] = useKept<'asc' | 'desc'>('order', 'asc')
  const { data, error, again } = useLoad(
    `playlist ${id} ${sort} ${order}`,
    signal => ask(client => loadPlaylist(id, client, { sort, order }, signal), signal), true
  )
  // Whether it is one's own decides what can be done with it.
  useLoad('own playlists', async signal => { if (can('playlistMutation')) await knowOwnPlaylists(signal) })
  const options = status.value?.playlistSortOptions ?? []
  if (data === undefined) return <Pending title={text('playlist')} error={error} again={again} />
  const isOwn = can('playlistMutation') && madePlaylists.value.some(playlist => playlist.id === id)
  const isWhole = data.tracks.length >= (data.trackCount ?? 0)
  return (
    <View title={data.name}>
      <DetailHead
        kind='playlist' item={data} tracks={data.tracks}
        facts={[
          text('playlist'), data.creator?.name,
          ...countOf(data),
          typeof data.playCount === 'number' && text('playsCount', { count: amount(data.playCount) }),
          typeof data.updatedAt === 'number' && day(data.updatedAt)
        ]}
        controls={isOwn && (
          <>
            <IconButton icon='edit' label={text('edit')} onClick={() => editPlaylist(data, again)} />
            <IconButton icon='trash' label={text('delete')} onClick={() => deletePlaylist(data, isWhole)} />
          </>
        )}
      />
      {options.length > 0 && (
        <p class='sorting'>
          <Choice
            label={text('sortBy')} value={sort} onChoose={setSort}
            options={[['', text('ownOrder')], ...options.map(({ key, label }) => [key, label] as const)]}
          />
          {sort !== '' && <OrderButton order={order} onChange={setOrder} />}
        </p>
      )}
      {isOwn
        ? <OwnTracks id={id} tracks={data.tracks} isOrdered={sort === '' && isWhole} again={again} />
        : <Tracks tracks={data.tracks} />}
    </View>
  )
}

export const ToplistView = () => <OneToplist key={route.value.id} id={route.value.id} />

function OneToplist ({ id }: { id: string }) {
  const pages = usePages<Track, Playlist>(`toplist ${id}`, async (offset, signal) => {
    const limit = 100
    const toplist = itemOf(await ask(client => client.getToplistTracks(id, offset, limit), signal))
    const tracks = tracksOf(toplist.tracks)
    const hasMore = offset + Math.max(limit, tracks.length) < (toplist.trackCount ?? 0)
    return { items: tracks, limit, hasMore, about: tidyCard<Playlist>(toplist) }
  })
  const { about: first } = pages
  return (
    <View title={first?.name ?? text('toplist')}>
      {first !== undefined && (
        <DetailHead
          kind='playlist' item={{ ...first, favorite: undefined }} isSaved={false}
          tracks={pages.items} rest={pages.rest}
          facts={[text('toplist'), text('tracksCount', { count: Math.max(first.trackCount ?? 0, pages.items.length) })]}
        />
      )}
      <PagedTracks pages={pages} label={text('tracks')} empty={text('nothingHere')} />
    </View>
  )
}

/** A whole list of tracks. */
export function Tracks ({ tracks, empty = 'nothingHere', ...shown }: {
  tracks: readonly Track[], empty?: TextName
} & Pick<TrackListProps, 'numbered' | 'groups' | 'numberOf' | 'noteOf'>) {
  if (tracks.length === 0) return <Empty>{text(empty)}</Empty>
  return <TrackList {...shown} tracks={tracks} label={text('tracks')} play={index => playList(tracks, index)} />
}

export function Pending ({ title, error, again }: { title: string, error: string, again: () => void }) {
  return <View title={title}>{error === '' ? <Waiting /> : <Trouble message={error} again={again} />}</View>
}
