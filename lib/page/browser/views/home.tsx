import type { Album, Artist, Playlist, Toplist, ToplistGroup, Track } from '../../../client/index.ts'
import { UnsupportedFeatureError, NotFoundError } from '../../../contract/errors.ts'
import { Cards } from '../parts/cards.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Empty, Trouble, Waiting } from '../parts/small.tsx'
import { Cover } from '../parts/cover.tsx'
import { explain, listOf } from '../state/explain.ts'
import { playList, playWhenThere } from '../state/player.ts'
import { hrefOf } from '../state/route.ts'
import { ask, can, source } from '../state/sources.ts'
import { cardsOf, tracksOf } from '../state/tidy.ts'
import { isPassing, useTryLater } from '../state/try-later.ts'
import { useLoad } from '../state/use-load.ts'
import { text, type TextName } from '../texts/index.ts'
import { View } from './view.tsx'

/** Endless: when the end is near, the source is asked again. */
function roam (): Promise<void> {
  const more = async () => tracksOf(await ask(client => client.getRoamTracks()))
  return playWhenThere(more, 'nothingHere', more)
}

interface Found {
  readonly new: readonly Track[]
  readonly daily: readonly Track[]
  readonly recommended: readonly Playlist[]
  readonly playlists: readonly Playlist[]
  readonly toplists: readonly Toplist[]
  readonly artists: readonly Artist[]
  readonly errors: readonly string[]
  /** One of them after which it is worth to try again. */
  readonly failure: unknown
}

/** Everything of the first view at once; a part that fails does not take the others with it. */
async function loadHome (signal: AbortSignal): Promise<Found> {
  const errors = new Set<string>()
  let failure: unknown
  const get = async <T,>(offered: boolean, load: () => Promise<T[]>): Promise<T[]> => {
    if (!offered) return []
    try {
      return await load()
    } catch (error) {
      const isAbsent = error instanceof UnsupportedFeatureError || error instanceof NotFoundError
      if (!isAbsent) errors.add(explain(error))
      if (isPassing(error)) failure = error
      return []
    }
  }
  const [newest, daily, recommended, playlists, toplists, artists] = await Promise.all([
    get(can('newTracks'), async () => tracksOf(await ask(client => client.getNewTracks(), signal))),
    get(can('dailyTracks'), async () => tracksOf(await ask(client => client.getDailyTracks(), signal))),
    // No capability stands for it.
    get(true, async () => cardsOf<Playlist>((await ask(client => client.getRecommendedPlaylist(0, 20), signal)).items)),
    get(
      can('playlists'), async () => cardsOf<Playlist>((await ask(client => client.getPlaylists(0, 20), signal)).items)
    ),
    get(can('toplist'), async () => {
      const groups = listOf<ToplistGroup>(await ask(client => client.getToplist(), signal))
      return groups.flatMap(({ list }) => cardsOf<Toplist>(list))
    }),
    get(can('topArtists'), async () => cardsOf<Artist>(await ask(client => client.getTopArtists(), signal)))
  ])
  return {
    new: newest,
    daily,
    recommended,
    playlists: recommended.length === 0 ? playlists : [],
    toplists,
    artists,
    errors: [...errors],
    failure
  }
}

const isEmpty = ({ errors, failure, ...lists }: Found) =>
  errors.length === 0 && Object.values(lists).every(list => list.length === 0)

export function Home () {
  const { data, error, again } = useLoad(`home ${source.value.url}`, loadHome, true)
  useTryLater(data?.failure, again)
  const albums = albumsOf(data?.new ?? [])
  return (
    <View title={greeting()} label={text('home')}>
      <div class='tiles'>
        {can('roamTracks') && (
          <Tile icon='roam' name={text('roam')} about={text('roamAbout')} onClick={() => { roam() }} />
        )}
        {data !== undefined && data.daily.length > 0 && (
          <Tile
            icon='spark' name={text('daily')} about={text('dailyAbout')} href={hrefOf('daily')} tracks={data.daily}
          />
        )}
        {data !== undefined && data.new.length > 0 && (
          <Tile icon='album' name={text('new')} about={text('newAbout')} href={hrefOf('new')} tracks={data.new} />
        )}
      </div>
      {error !== '' && <Trouble message={error} again={again} />}
      {data === undefined && error === '' && <Waiting />}
      {data !== undefined && (
        <>
          {data.errors.length > 0 && <Trouble message={text('partly', { why: data.errors.join(' ') })} again={again} />}
          <CardRow name='new' href={hrefOf('new')} show={albums.length > 0}>
            <Cards row view='album' label={text('new')} items={albums} below={({ artistName = '' }) => artistName} />
          </CardRow>
          <CardRow
            name='recommended' href={can('playlists') ? hrefOf('playlists') : undefined}
            show={data.recommended.length > 0}
          >
            <Cards
              row view='playlist' label={text('recommended')} items={data.recommended}
              below={({ trackCount = 0 }) => text('tracksCount', { count: trackCount })}
            />
          </CardRow>
          <CardRow name='playlists' href={hrefOf('playlists')} show={data.playlists.length > 0}>
            <Cards
              row view='playlist' label={text('playlists')} items={data.playlists}
              below={({ trackCount = 0 }) => text('tracksCount', { count: trackCount })}
            />
          </CardRow>
          <CardRow name='toplists' href={hrefOf('toplists')} show={data.toplists.length > 0}>
            <Cards
              row view='toplist' label={text('toplists')} items={data.toplists}
              below={({ updateFrequency }) => updateFrequency}
            />
          </CardRow>
          <CardRow name='topArtists' href={hrefOf('artists')} show={data.artists.length > 0}>
            <Cards row view='artist' label={text('topArtists')} items={data.artists} />
          </CardRow>
          {isEmpty(data) && <Empty>{text('homeEmpty')}</Empty>}
        </>
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
          : <Cover url={tracks[0]!.album.coverUrl} name={tracks[0]!.album.name} eager />}
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

function CardRow ({ name, href, show, children }: {
  name: TextName, href: string | undefined, show: boolean, children: preact.ComponentChildren
}) {
  if (!show) return null
  return (
    <section class='card-row'>
      <header>
        <h2>{text(name)}</h2>
        {href !== undefined && <a href={href} aria-label={text('allOf', { name: text(name) })}>{text('all')}</a>}
      </header>
      {children}
    </section>
  )
}

/** The albums that tracks are on, each once. */
const albumsOf = (tracks: readonly Track[]): Album[] =>
  [...new Map(tracks.map(({ album }) => [album.id, album])).values()].filter(({ id }) => id).slice(0, 20)
