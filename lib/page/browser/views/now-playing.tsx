import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Artist } from '../../../client/index.ts'
import { Hero } from '../parts/hero.tsx'
import { Icon } from '../parts/icon.tsx'
import { Artists, Empty, Heart, IconButton, Trouble, Waiting } from '../parts/small.tsx'
import { Quality, Seek, Transport, Volume } from '../parts/player-controls.tsx'
import { SoundButton } from '../parts/sound-button.tsx'
import { openTrackMenu } from '../parts/track-menu.tsx'
import { composerOf, loadTrackExtras } from '../state/load-extras.ts'
import { canFavor } from '../state/account-lists.ts'
import { coverOf } from '../state/covers.ts'
import { loadPart } from '../state/load-part.ts'
import { current } from '../state/queue.ts'
import { go, hrefOf, route } from '../state/route.ts'
import { ask, can } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { View } from './view.tsx'

const hrefWith = (lyrics: boolean) => hrefOf('playing', undefined, lyrics ? { show: 'lyrics' } : undefined)

/**
 * Renders the current track, large, with its lyrics. On a phone the lyrics are one swipe away, and the URL contains the
 * position.
 */
export function NowPlaying () {
  const track = current.value?.track
  const showsLyrics = route.value.query.get('show') === 'lyrics' && can('lyrics')
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const show = () =>
      place.current?.querySelector(showsLyrics ? '.view > :last-child' : '.hero')!.scrollIntoView({ block: 'nearest' })
    show()
    // When a phone is rotated, browsers snap to the previous position.
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [showsLyrics])
  const swipe = (event: Event) => {
    const { scrollLeft, clientWidth, scrollWidth, classList } = event.target as HTMLElement
    if (!classList.contains('view') || scrollWidth === clientWidth) return
    const isAtLyrics = Math.abs(scrollLeft) > clientWidth / 2
    if (isAtLyrics !== showsLyrics) go(hrefWith(isAtLyrics), true)
  }
  if (track === undefined) return <View title={text('nowPlaying')}><Empty>{text('nothingPlaying')}</Empty></View>
  const { album, artists, title } = track
  return (
    <div ref={place} class={showsLyrics ? 'now shows-lyrics' : 'now'} onScrollCapture={swipe}>
      <View
        title={title} label={text('nowPlaying')}
        hero={heading => (
          <Hero
            kind={text('nowPlaying')} name={album.name || title} cover={album.coverUrl} of={coverOf(track)}
            heading={heading}
            facts={[
              <FewArtists key={track.id} artists={artists} />,
              album.id !== '' && album.name !== '' && (
                <a key='album' class='now-album' dir='auto' href={hrefOf('album', album.id)}>{album.name}</a>
              ),
              <Facts key={track.id} id={track.id} />
            ]}
          >
            {canFavor('track', track) && <Heart kind='track' item={track} name={title} />}
            <IconButton icon='more' label={text('moreFor', { title })} onClick={() => openTrackMenu(track)} />
            <div class='now-controls'>
              <Seek />
              <Transport />
              <Volume />
              <div class='now-more'>
                <Quality />
                <SoundButton />
                {can('lyrics') && (
                  <a class='button now-lyrics' href={hrefWith(true)}>
                    <Icon name='lyrics' />
                    {text('lyrics')}
                  </a>
                )}
              </div>
            </div>
          </Hero>
        )}
      >
        {can('lyrics') && <Lyrics key={track.id} id={track.id} />}
      </View>
    </div>
  )
}

/** The number of artists shown immediately: more names would push the controls off the screen. */
const fewArtists = 3

function FewArtists ({ artists }: { artists: readonly Artist[] }) {
  const [hasAll, showAll] = useState(artists.length <= fewArtists)
  return (
    <>
      <Artists artists={hasAll ? artists : artists.slice(0, fewArtists)} />
      {!hasAll && (
        <>
          {' '}
          <button type='button' class='plain' aria-expanded='false' onClick={() => showAll(true)}>
            {text('moreText')}
          </button>
        </>
      )}
    </>
  )
}

/** Renders additional metadata of the track, if the source has any. */
function Facts ({ id }: { id: string }) {
  const { data } = useLoad(`extras ${id}`, async signal => (await loadTrackExtras([id], signal)).get(id) ?? {})
  const composer = composerOf(data)
  const facts = [data?.year, data?.genres?.join(', '), composer && text('composedBy', { name: composer })]
    .filter(Boolean)
  const shown = facts.map(fact => [<span key={fact}>{fact}</span>, ' '])
  return facts.length > 0 && <span class='facts' dir='auto'>{shown}</span>
}

export function Lyrics ({ id }: { id: string }) {
  const { data, error, retry } = useLoad(
    `lyrics ${id}`,
    async signal => {
      const lyrics = await ask(client => client.getTrackLyrics(id), signal)
      const { LyricLines, parseLyrics } = await loadPart(() => import('../later.ts'))
      return { Lines: LyricLines, lines: parseLyrics(lyrics) }
    }
  )
  if (error !== '') return <Trouble message={error} again={retry} />
  if (data === undefined) return <Waiting />
  const { Lines, lines } = data
  return lines.length === 0 ? <Empty icon='lyrics' isPart>{text('noLyrics')}</Empty> : <Lines lines={lines} />
}
