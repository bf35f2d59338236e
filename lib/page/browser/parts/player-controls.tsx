import { setQuality, next, previous, seek, toggle } from '../state/player.ts'
import { duration, given, loading, muted, playing, position, volume, wanted } from '../state/player-state.ts'
import { current, cycleRepeat, hasNext, repeat, shuffled, toggleShuffle } from '../state/queue.ts'
import { status } from '../state/session.ts'
import { clock, text } from '../texts/index.ts'
import { Icon } from './icon.tsx'
import { IconButton } from './small.tsx'

/** The seek step of a key in seconds. */
const seekStep = 5

export function Transport ({ compact = false }: { compact?: boolean }) {
  const none = current.value === undefined
  const repeats = ({ off: 'repeatOff', all: 'repeatAll', one: 'repeatOne' } as const)[repeat.value]
  return (
    <div class='transport'>
      {!compact && (
        <IconButton
          icon='shuffle' label={text('shuffle')} pressed={shuffled.value} onClick={toggleShuffle} class='toggle'
        />
      )}
      {!compact && <IconButton icon='previous' label={text('previous')} onClick={previous} disabled={none} />}
      <button
        type='button' class={loading.value && playing.value ? 'play-main busy' : 'play-main'}
        aria-label={text(playing.value ? 'pause' : 'play')} onClick={toggle} disabled={none}
      >
        <Icon name={playing.value ? 'pause' : 'play'} size={24} />
      </button>
      <IconButton icon='next' label={text('next')} onClick={next} disabled={none || !hasNext()} />
      {!compact && (
        <IconButton
          icon='repeat' label={text(repeats)} pressed={repeat.value !== 'off'} onClick={cycleRepeat}
          class={repeat.value === 'one' ? 'toggle one' : 'toggle'}
        />
      )}
    </div>
  )
}

export function Seek () {
  const end = Math.max(duration.value, position.value)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -seekStep, ArrowDown: -seekStep, ArrowRight: seekStep, ArrowUp: seekStep }[event.key]
    if (step === undefined) return
    event.preventDefault()
    seek(position.value + step)
  }
  return (
    <div class='seek'>
      <span>{clock(position.value)}</span>
      <input
        type='range' min={0} max={end || 1} step='any' value={position.value} disabled={current.value === undefined}
        aria-label={text('position')}
        aria-valuetext={text('positionOf', { at: clock(position.value), of: clock(end) })}
        style={{ '--part': end > 0 ? position.value / end : 0 }}
        onInput={event => seek(Number(event.currentTarget.value))} onKeyDown={onKeyDown}
      />
      <span>{clock(end)}</span>
    </div>
  )
}

export function Volume () {
  const shown = muted.value ? 0 : volume.value
  return (
    <div class='volume'>
      <IconButton
        icon={shown === 0 ? 'muted' : 'volume'} label={text('mute')} pressed={muted.value}
        onClick={() => { muted.value = !muted.value }}
      />
      <input
        type='range' min={0} max={1} step={0.02} value={shown} aria-label={text('volume')}
        aria-valuetext={`${Math.round(shown * 100)} %`} style={{ '--part': shown }}
        onInput={event => {
          volume.value = Number(event.currentTarget.value)
          muted.value = false
        }}
      />
    </div>
  )
}

/** Shows the qualities of the track, and the quality that the source sent. */
export function Quality () {
  const track = current.value?.track
  if (track === undefined) return null
  const map = status.value?.qualityMap ?? []
  const offered = track.qualities?.length ? track.qualities : map
  const label = (key: string) => [...track.qualities ?? [], ...map].find(quality => quality.key === key)?.label ?? key
  const got = given.value
  const facts = got === undefined
    ? ''
    : [
        label(got.quality), got.format?.toUpperCase(),
        typeof got.bitrate === 'number' && got.bitrate > 0 && `${Math.round(got.bitrate / 1000)} kbit/s`
      ].filter(Boolean).join(' · ')
  return (
    <span class='quality' title={facts}>
      <select
        aria-label={text('quality')} value={offered.some(({ key }) => key === wanted.value) ? wanted.value : ''}
        onChange={event => setQuality(event.currentTarget.value)}
      >
        <option value=''>{text('qualityAuto')}</option>
        {offered.map(({ key, label }) => <option key={key} value={key}>{label}</option>)}
      </select>
      <small class='given'>{facts !== '' && <span class='hidden'>{text('qualityGiven')}: </span>}{facts}</small>
    </span>
  )
}
