import type { Album, Artist, Playlist, SourceClient, Toplist, ToplistGroup, Track } from '../../../client/index.ts'
import { UnsupportedFeatureError, NotFoundError } from '../../../contract/errors.ts'
import { Cards, isGenre, type Card } from '../parts/cards.tsx'
import { Icon } from '../parts/icon.tsx'
import { Later } from '../parts/later.tsx'
import { Trouble, Waiting } from '../parts/small.tsx'
import { Cover } from '../parts/cover.tsx'
import { coverOf } from '../state/covers.ts'
import { listOf } from '../state/explain.ts'
import { loadTracksOf } from '../state/load-tracks.ts'
import { moreOf } from '../state/more.ts'
import { playList, playWhenThere } from '../state/player.ts'
import { hrefOf } from '../state/route.ts'
import { isOwn } from '../state/own.ts'
import { source } from '../state/saved-sources.ts'
import { ask, askOwn, can, canBrowse, mayRecommend } from '../state/session.ts'
import { cardsOf, tracksOf } from '../state/tidy.ts'
import { useLoad } from '../state/use-load.ts'
import { text, type TextName } from '../texts/index.ts'
import { View } from './view.tsx'

const loadEmptyHome = () => import('../later.ts').then(({ EmptyHome }) => EmptyHome)

function roam (): Promise<void> {
  const more = moreOf({ list: 'roam' })!
  return playWhenThere(more, 'nothingHere', more)
}

/** Returns albums sorted by the account's plays; empty if the source does not store plays. */
async function albumsBy (sort: string, order: 'asc' | 'desc', signal: AbortSignal): Promise<readonly Album[]> {
  const { sorts = [], items = [] } = await askOwn(
    'GET browse', { kind: 'albums', sort, order, limit: 20, facets: 0 }, signal
  )
  return sorts.includes(sort) ? cardsOf<Album>(items) : []
}

/** A month in milliseconds. */
const month = 30 * 86_400_000

interface List<T> {
  readonly items: readonly T[]
  readonly isPending: boolean
  /** A message for users; empty = none. */
  readonly error: string
  readonly again: () => void
}

/** Loads one list of Home. A list that the source does not have is empty. */
function useList<T> (
  name: string, isOffered: boolean, load: (client: SourceClient, signal: AbortSignal) => Promise<readonly T[]>
): List<T> {
  const { data, error, again } = useLoad<readonly T[]>(`home ${name}`, async signal => isOffered
    ? ask(client => load(client, signal), signal).catch(error => {
      if (error instanceof UnsupportedFeatureError || error instanceof NotFoundError) return []
      throw error
    })
    : [], true)
  return { items: data ?? [], isPending: isOffered && data === undefined && error === '', error, again }
}

/** Loads the lists of Home concurrently. None waits for another, and a failed one does not affect the others. */
const useLists = () => ({
  played: useList<Album>('played', canBrowse(), (_client, signal) => albumsBy('played', 'desc', signal)),
  month: useList<Track>('month', isOwn(source.value), async (_client, signal) =>
    tracksOf((await askOwn('GET plays', { since: Date.now() - month }, signal)).items ?? [])),
  most: useList<Album>('most', canBrowse(), (_client, signal) => albumsBy('plays', 'desc', signal)),
  forgotten: useList<Album>('forgotten', canBrowse(), (_client, signal) => albumsBy('played', 'asc', signal)),
  fresh: useList<Track>('new', can('newTracks'), client => client.getNewTracks().then(tracksOf)),
  daily: useList<Track>('daily', can('dailyTracks'), client => client.getDailyTracks().then(tracksOf)),
  recommended: useList<Playlist>('recommended', mayRecommend(), client =>
    client.getRecommendedPlaylist(0, 20).then(({ items }) => cardsOf<Playlist>(items))),
  playlists: useList<Playlist>('playlists', can('playlists'), client =>
    client.getPlaylists(0, 20).then(({ items }) => cardsOf<Playlist>(items))),
  toplists: useList<Toplist>('toplists', can('toplist'), client => client.getToplist().then(
    groups => listOf<ToplistGroup>(groups).flatMap(({ list }) => cardsOf<Toplist>(list))
  )),
  topArtists: useList<Artist>('topArtists', can('topArtists'), client => client.getTopArtists().then(cardsOf<Artist>))
})

type Lists = ReturnType<typeof useLists>

const isNoGenre = (playlist: Playlist) => !isGenre(playlist)
const genresOf = (playlists: readonly Playlist[]) =>
  [...new Map(playlists.filter(isGenre).map(playlist => [playlist.id, playlist])).values()]
const hrefOfPlaylists = () => can('playlists') ? hrefOf('playlists') : undefined

const hrefOfAlbums = (sort: string, order: string) => hrefOf('albums', undefined, { sort, order })

/** Returns no albums if all of them are among the recent tracks, as for an account that has listened only recently. */
const others = (albums: readonly Album[], tracks: readonly Track[]) =>
  albums.every(({ id }) => tracks.some(({ album }) => album.id === id)) ? [] : albums

/**
 * Returns the rows of covers, each with the list that it shows.
 *
 * `after`: another list, without which the row would show too much.
 */
const rowsOf = ({
  played, month, most, forgotten, fresh, recommended, playlists, toplists, topArtists
}: Lists) => ([
  { name: 'mostThisMonth', view: 'album', of: month, items: albumsOf(month.items), href: undefined },
  {
    name: 'sortPlays',
    view: 'album',
    of: most,
    after: month,
    items: others(most.items, month.items),
    href: hrefOfAlbums('plays', 'desc')
  },
  {
    name: 'notForLong',
    view: 'album',
    of: forgotten,
    after: played,
    // With few played albums, the first row contains them already.
    items: forgotten.items.filter(({ id }) => !played.items.some(album => album.id === id)),
    href: hrefOfAlbums('played', 'asc')
  },
  { name: 'new', view: 'album', of: fresh, items: albumsOf(fresh.items), href: hrefOf('new') },
  {
    name: 'recommended',
    view: 'playlist',
    of: recommended,
    items: recommended.items.filter(isNoGenre),
    href: hrefOfPlaylists()
  },
  {
    name: 'playlists',
    view: 'playlist',
    of: playlists,
    after: recommended,
    items: recommended.items.some(isNoGenre) ? [] : playlists.items.filter(isNoGenre),
    href: hrefOfPlaylists()
  },
  {
    name: 'genres',
    view: 'playlist',
    of: { ...recommended, isPending: false, error: '' },
    items: genresOf([...recommended.items, ...playlists.items]),
    href: hrefOfPlaylists()
  },
  { name: 'toplists', view: 'toplist', of: toplists, items: toplists.items, href: hrefOf('toplists') },
  { name: 'topArtists', view: 'artist', of: topArtists, items: topArtists.items, href: hrefOf('artists') }
] as const)

/** The number of tiles for the radio and recently played albums. */
const mostTiles = 6
/** The number of tracks on the card of the day. */
const mostDaily = 5

export function Home () {
  const lists = useLists()
  const { played, daily } = lists
  const tiles = mostTiles - Number(can('roamTracks'))
  const all = Object.values(lists)
  const rows = rowsOf(lists)
  const isShort = ({ items }: typeof rows[number]) => items.length === 1
  return (
    <View title={greeting()} label={text('home')}>
      {played.error !== '' && <Trouble message={played.error} again={played.again} />}
      <ul class='tiles' aria-label={text('goOnWith')}>
        {can('roamTracks') && (
          <li class='tile'>
            <button type='button' class='tile-main' onClick={() => { roam() }}>
              <span class='tile-icon'><Icon name='roam' size={30} /></span>
              <span class='tile-text'><strong>{text('roam')}</strong><span>{text('roamAbout')}</span></span>
            </button>
          </li>
        )}
        {played.items.slice(0, tiles).map(album => (
          <Tile key={album.id} item={album} view='album' about={album.artistName} />
        ))}
        {played.isPending && Array.from({ length: tiles }, (_, index) => <li key={index} class='tile waiting' />)}
        {rows.filter(isShort).map(({ name, view, items: [item] }) => (
          <Tile key={name} item={item!} view={view} about={text(name)} />
        ))}
      </ul>
      {(daily.isPending || daily.items.length > 0) && <Today tracks={daily.items} />}
      {daily.error !== '' && <Trouble message={daily.error} again={daily.again} />}
      {rows.filter(row => !isShort(row)).map(({ name, view, of, items, href, ...row }) => (
        <Row
          key={name} name={name} view={view} items={items} href={href} error={of.error} again={of.again}
          isPending={of.isPending || ('after' in row && items.length > 0 && row.after.isPending)}
        />
      ))}
      {all.every(({ items, isPending, error }) => items.length === 0 && !isPending && error === '') && (
        <Later load={loadEmptyHome} />
      )}
    </View>
  )
}

/** Renders a row of covers, places for it, or the reason why it is missing; nothing if it is empty. */
function Row ({ name, view, items, href, isPending, error, again }: {
  name: TextName,
  view: 'album' | 'artist' | 'playlist' | 'toplist',
  items: readonly Card[],
  href: string | undefined
  isPending: boolean,
  error: string,
  again: () => void
}) {
  if (items.length === 0 && !isPending && error === '') return null
  return (
    <section class='card-row' aria-busy={isPending}>
      <header>
        <h2>{text(name)}</h2>
        {href !== undefined && <a href={href} aria-label={text('allOf', { name: text(name) })}>{text('all')}</a>}
      </header>
      {error !== '' && <Trouble message={error} again={again} />}
      {isPending && <Waiting of='covers' />}
      {!isPending && items.length > 0 && <Cards row view={view} label={text(name)} items={items} />}
    </section>
  )
}

function greeting (): string {
  const hour = new Date().getHours()
  return text(hour < 5 || hour >= 18 ? 'goodEvening' : hour < 12 ? 'goodMorning' : 'goodAfternoon')
}

/** Renders an item as a small card that plays. */
function Tile ({ item: { id, name, coverUrl }, view, about }: {
  item: Card, view: 'album' | 'artist' | 'playlist' | 'toplist', about: string | undefined
}) {
  return (
    <li class='tile'>
      <a class='tile-main' href={hrefOf(view, id)} title={name}>
        <Cover url={coverUrl} of={view === 'toplist' ? undefined : { kind: view, id }} name={name} size={64} eager />
        <span class='tile-text' dir='auto'><strong>{name}</strong><span>{about}</span></span>
      </a>
      <button
        type='button' class='play-round' tabIndex={-1} aria-label={text('playTitle', { title: name })}
        onClick={() => { playWhenThere(() => loadTracksOf(view, id), 'nothingHere') }}
      >
        <Icon name='play' />
      </button>
    </li>
  )
}

/** Renders the tracks of the day as a wide card. */
function Today ({ tracks }: { tracks: readonly Track[] }) {
  const name = text('daily')
  return (
    <section class='today' aria-busy={tracks.length === 0}>
      <header>
        <h2><a href={hrefOf('daily')}>{name}</a></h2>
        <p>{text('dailyAbout')}</p>
        <button
          type='button' class='button primary' aria-label={text('playAllOf', { name })} disabled={tracks.length === 0}
          onClick={() => playList(tracks)}
        >
          <Icon name='play' />
          {text('play')}
        </button>
      </header>
      {tracks.length === 0
        ? <Waiting of='covers' />
        : (
          <ol>
            {tracks.slice(0, mostDaily).map((track, index) => (
              <li key={`${track.id} ${index}`}>
                <button
                  type='button' aria-label={text('playTitle', { title: track.title })}
                  onClick={() => playList(tracks, index)}
                >
                  <Cover
                    url={track.album.coverUrl} of={coverOf(track)} name={track.album.name || track.title} size={120}
                  />
                  <span dir='auto'>{track.title}</span>
                </button>
                <small dir='auto'>{track.artists[0]?.name}</small>
              </li>
            ))}
          </ol>
          )}
    </section>
  )
}

/** Returns the distinct albums of tracks. */
const albumsOf = (tracks: readonly Track[]): Album[] =>
  [...new Map(tracks.map(({ album }) => [album.id, album])).values()].filter(({ id }) => id).slice(0, 20)
