import type { Album, Artist, Playlist, SourceClient, Toplist, ToplistGroup, Track } from '../../../client/index.ts'
import { UnsupportedFeatureError, NotFoundError } from '../../../contract/errors.ts'
import { Cards, isGenre } from '../parts/cards.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Later } from '../parts/later.tsx'
import { Trouble, Waiting } from '../parts/small.tsx'
import { Cover } from '../parts/cover.tsx'
import { coverOf } from '../state/covers.ts'
import { explain, listOf } from '../state/explain.ts'
import { moreOf } from '../state/more.ts'
import { playList, playWhenThere } from '../state/player.ts'
import { hrefOf } from '../state/route.ts'
import { isOwn } from '../state/own.ts'
import { source } from '../state/saved-sources.ts'
import { ask, askOwn, can, canBrowse, mayRecommend } from '../state/session.ts'
import { cardsOf, tracksOf } from '../state/tidy.ts'
import { isPassing, useTryLater } from '../state/try-later.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { View } from './view.tsx'

const loadEmptyHome = () => import('../later.ts').then(({ EmptyHome }) => EmptyHome)

function roam (): Promise<void> {
  const more = moreOf({ list: 'roam' })!
  return playWhenThere(more, 'nothingHere', more)
}

interface Lists {
  played: readonly Album[]
  month: readonly Track[]
  most: readonly Album[]
  forgotten: readonly Album[]
  new: readonly Track[]
  daily: readonly Track[]
  recommended: readonly Playlist[]
  playlists: readonly Playlist[]
  toplists: readonly Toplist[]
  topArtists: readonly Artist[]
}

/** Returns albums sorted by the account's plays; empty if the source does not store plays. */
async function albumsBy (sort: string, order: 'asc' | 'desc', signal: AbortSignal): Promise<readonly Album[]> {
  const { sorts = [], items = [] } = await askOwn('GET browse', { kind: 'albums', sort, order, limit: 20 }, signal)
  return sorts.includes(sort) ? cardsOf<Album>(items) : []
}

/** A month in milliseconds. */
const month = 30 * 86_400_000

/** Loads each list; `false` if the source does not offer it. */
const loaders: {
  [Name in keyof Lists]: (client: SourceClient, signal: AbortSignal) => Promise<Lists[Name]> | false
} = {
  played: (_client, signal) => canBrowse() && albumsBy('played', 'desc', signal),
  month: async (_client, signal) => isOwn(source.value)
    ? tracksOf((await askOwn('GET plays', { since: Date.now() - month }, signal)).items ?? [])
    : [],
  most: (_client, signal) => canBrowse() && albumsBy('plays', 'desc', signal),
  forgotten: (_client, signal) => canBrowse() && albumsBy('played', 'asc', signal),
  new: client => can('newTracks') && client.getNewTracks().then(tracksOf),
  daily: client => can('dailyTracks') && client.getDailyTracks().then(tracksOf),
  recommended: client => mayRecommend() &&
    client.getRecommendedPlaylist(0, 20).then(({ items }) => cardsOf<Playlist>(items)),
  playlists: client => can('playlists') && client.getPlaylists(0, 20).then(({ items }) => cardsOf<Playlist>(items)),
  toplists: client => can('toplist') && client.getToplist().then(
    groups => listOf<ToplistGroup>(groups).flatMap(({ list }) => cardsOf<Toplist>(list))
  ),
  topArtists: client => can('topArtists') && client.getTopArtists().then(cardsOf<Artist>)
}

/** Loads all parts of Home concurrently. A failed part does not affect the others. */
async function loadHome (signal: AbortSignal) {
  const errors = new Set<string>()
  /** An error after which a retry may help. */
  let failure: unknown
  const lists = await Promise.all(Object.entries(loaders).map(async ([name, load]) => {
    const list = await ask<readonly unknown[]>(
      async client => await load(client, signal) || [], signal
    ).catch(error => {
      const isAbsent = error instanceof UnsupportedFeatureError || error instanceof NotFoundError
      if (!isAbsent) errors.add(explain(error))
      if (isPassing(error)) failure = error
      return []
    })
    return [name, list] as const
  }))
  return { lists: Object.fromEntries(lists) as unknown as Lists, errors: [...errors], failure }
}

const isNoGenre = (playlist: Playlist) => !isGenre(playlist)
const genresOf = (playlists: readonly Playlist[]) =>
  [...new Map(playlists.filter(isGenre).map(playlist => [playlist.id, playlist])).values()]
const hrefOfPlaylists = () => can('playlists') ? hrefOf('playlists') : undefined

const hrefOfAlbums = (sort: string, order: string) => hrefOf('albums', undefined, { sort, order })

/** Returns no albums if all of them are among the recent tracks, as for an account that has listened only recently. */
const others = (albums: readonly Album[], tracks: readonly Track[]) =>
  albums.every(({ id }) => tracks.some(({ album }) => album.id === id)) ? [] : albums

/** Returns the non-empty rows of covers. */
const rowsOf = ({
  played, month, most, forgotten, new: tracks, recommended, playlists, toplists, topArtists
}: Lists) => ([
  { name: 'goOnWith', view: 'album', items: played, href: hrefOfAlbums('played', 'desc') },
  { name: 'mostThisMonth', view: 'album', items: albumsOf(month), href: undefined },
  { name: 'sortPlays', view: 'album', items: others(most, month), href: hrefOfAlbums('plays', 'desc') },
  {
    name: 'notForLong',
    view: 'album',
    // With few played albums, the first row contains them already.
    items: forgotten.filter(({ id }) => !played.some(album => album.id === id)),
    href: hrefOfAlbums('played', 'asc')
  },
  { name: 'new', view: 'album', items: albumsOf(tracks), href: hrefOf('new') },
  { name: 'recommended', view: 'playlist', items: recommended.filter(isNoGenre), href: hrefOfPlaylists() },
  {
    name: 'playlists',
    view: 'playlist',
    items: recommended.some(isNoGenre) ? [] : playlists.filter(isNoGenre),
    href: hrefOfPlaylists()
  },
  { name: 'genres', view: 'playlist', items: genresOf([...recommended, ...playlists]), href: hrefOfPlaylists() },
  { name: 'toplists', view: 'toplist', items: toplists, href: hrefOf('toplists') },
  { name: 'topArtists', view: 'artist', items: topArtists, href: hrefOf('artists') }
] as const).filter(({ items }) => items.length > 0)

export function Home () {
  const { data, error, again } = useLoad('home', loadHome, true)
  useTryLater(data?.failure, again)
  const { lists, errors = [] } = data ?? {}
  return (
    <View title={greeting()} label={text('home')}>
      <div class='tiles'>
        {can('roamTracks') && (
          <Tile icon='roam' name={text('roam')} about={text('roamAbout')} onClick={() => { roam() }} />
        )}
        {lists !== undefined && lists.daily.length > 0 && (
          <Tile
            icon='album' name={text('daily')} about={text('dailyAbout')} href={hrefOf('daily')} tracks={lists.daily}
          />
        )}
      </div>
      {error !== '' && <Trouble message={error} again={again} />}
      {data === undefined && error === '' && <Waiting of='covers' />}
      {errors.length > 0 && <Trouble message={text('partly', { why: errors.join(' ') })} again={again} />}
      {lists !== undefined && rowsOf(lists).map(({ name, view, items, href }) => (
        <section key={name} class='card-row'>
          <header>
            <h2>{text(name)}</h2>
            {href !== undefined && <a href={href} aria-label={text('allOf', { name: text(name) })}>{text('all')}</a>}
          </header>
          <Cards<Album | Artist | Playlist | Toplist> row view={view} label={text(name)} items={items} />
        </section>
      ))}
      {lists !== undefined && errors.length === 0 && Object.values(lists).every(list => list.length === 0) && (
        <Later load={loadEmptyHome} />
      )}
    </View>
  )
}

function greeting (): string {
  const hour = new Date().getHours()
  return text(hour < 5 || hour >= 18 ? 'goodEvening' : hour < 12 ? 'goodMorning' : 'goodAfternoon')
}

function Tile ({ icon, name, about, href, onClick, tracks = [] }: {
  icon: IconName, name: string, about: string, href?: string, onClick?: () => void, tracks?: readonly Track[]
}) {
  const inside = (
    <>
      <span class='tile-covers'>
        {tracks.length === 0
          ? <span class='tile-icon'><Icon name={icon} size={34} /></span>
          : (
            <Cover
              url={tracks[0]!.album.coverUrl} of={coverOf(tracks[0]!)} name={tracks[0]!.album.name} size={76} eager
            />
            )}
      </span>
      <span class='tile-text'><strong>{name}</strong><span>{about}</span></span>
    </>
  )
  return (
    <div class='tile'>
      {href === undefined
        ? <button type='button' class='tile-main' onClick={onClick}>{inside}</button>
        : <a class='tile-main' href={href}>{inside}</a>}
      {tracks.length > 0 && (
        <button
          type='button' class='play-round' aria-label={text('playAllOf', { name })} onClick={() => playList(tracks)}
        >
          <Icon name='play' />
        </button>
      )}
    </div>
  )
}

/** Returns the distinct albums of tracks. */
const albumsOf = (tracks: readonly Track[]): Album[] =>
  [...new Map(tracks.map(({ album }) => [album.id, album])).values()].filter(({ id }) => id).slice(0, 20)
