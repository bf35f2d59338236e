import { Fragment } from 'preact'
import { current } from '../state/queue.ts'
import { canFavor } from '../state/account-lists.ts'
import { coverOf } from '../state/covers.ts'
import { duration, position } from '../state/player-state.ts'
import { playerSlot } from '../state/player-slot.ts'
import { panel, togglePanel } from '../state/panel.ts'
import { hrefOf } from '../state/route.ts'
import { can } from '../state/session.ts'
import { text } from '../texts/index.ts'
import { Cover } from './cover.tsx'
import { Quality, Seek, Transport, Volume } from './player-controls.tsx'
import { Artists, Heart, IconButton, IconLink } from './small.tsx'
import { SoundButton } from './sound-button.tsx'

/** Renders the player at the bottom of every view. */
export function PlayerBar () {
  const track = current.value?.track
  return (
    <section
      id='player' class={track === undefined ? 'player empty-player' : 'player'}
      aria-label={text('player')}
    >
      <div
        class='player-progress' aria-hidden='true'
        style={{ '--part': duration.value > 0 ? position.value / duration.value : 0 }}
      />
      {playerSlot.value}
      <div class='player-track'>
        {track === undefined
          ? <span class='nothing'>{text('nothingPlaying')}</span>
          : (
            <>
              <a href={hrefOf('playing')} aria-label={text('openPlaying')} class='player-cover'>
                <Cover
                  url={track.album.coverUrl} of={coverOf(track)} name={track.album.name || track.title} size={58}
                  eager
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
        {(['lyrics', 'queue'] as const).filter(name => name === 'queue' || can('lyrics')).map(name => (
          <Fragment key={name}>
            <IconLink class='narrow' icon={name} label={text(name)} view={name === 'queue' ? 'queue' : 'playing'} />
            <IconButton
              class='toggle wide' icon={name} label={text(name)} pressed={panel.value === name}
              onClick={() => togglePanel(name)}
            />
          </Fragment>
        ))}
        <SoundButton />
        <Volume />
      </div>
    </section>
  )
}
