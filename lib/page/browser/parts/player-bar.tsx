import { current } from '../state/queue.ts'
import { canFavor } from '../state/library.ts'
import { duration, position } from '../state/player-state.ts'
import { renewCover } from '../state/renew-cover.ts'
import { hrefOf, route } from '../state/route.ts'
import { can } from '../state/sources.ts'
import { text } from '../texts/index.ts'
import { Cover } from './cover.tsx'
import { Icon } from './icon.tsx'
import { Quality, Seek, Transport, Volume } from './player-controls.tsx'
import { Artists, Heart } from './small.tsx'

/** The player at the bottom of every view. */
export function PlayerBar () {
  const entry = current.value
  const track = entry?.track
  const { view } = route.value
  const here = (name: string) => view === name ? { 'aria-current': 'page' as const } : {}
  return (
    <section
      id='player' class={track === undefined ? 'player empty-player' : 'player'}
      aria-label={text('player')}
    >
      <div
        class='player-progress' aria-hidden='true'
        style={{ '--part': duration.value > 0 ? position.value / duration.value : 0 }}
      />
      <div class='player-track'>
        {track === undefined
          ? <span class='nothing'>{text('nothingPlaying')}</span>
          : (
            <>
              <a href={hrefOf('playing')} aria-label={text('openPlaying')} class='player-cover'>
                <Cover
                  url={track.album.coverUrl} name={track.album.name || track.title} eager
                  onFail={() => renewCover(entry!)}
                />
              </a>
              <span class='player-names'>
                <a class='player-title' dir='auto' href={hrefOf('playing')} title={track.title}>{track.title}</a>
                <Artists artists={track.artists} />
              </span>
              {canFavor('track', track) && <Heart kind='track' item={track} name={track.title} />}
            </>
            )}
      </div>
      <div class='player-center'><Transport /><Seek /></div>
      <div class='player-compact'><Transport compact /></div>
      <div class='player-side'>
        <Quality />
        {can('lyrics') && (
          <a
            class='icon-button' href={hrefOf('playing')} aria-label={text('lyrics')} title={text('lyrics')}
            {...here('playing')}
          >
            <Icon name='lyrics' />
          </a>
        )}
        <a
          class='icon-button' href={hrefOf('queue')} aria-label={text('queue')} title={text('queue')} {...here('queue')}
        >
          <Icon name='queue' />
        </a>
        <Volume />
      </div>
    </section>
  )
}
