import type { Signal } from '@preact/signals'
import { gainMode, mostPreamp, preamp, type GainMode } from '../state/replay-gain.ts'
import { mobileQuality, tellsLine } from '../state/mobile-data.ts'
import { isOwn } from '../state/own.ts'
import { isPrivate } from '../state/private.ts'
import { source } from '../state/saved-sources.ts'
import { offers } from '../state/session.ts'
import { deviceName } from '../state/this-device.ts'
import { current } from '../state/queue.ts'
import { crossfade, longestCrossfade, sleep, sleepAfter } from '../state/sound.ts'
import { text, timeOfDay } from '../texts/index.ts'
import { openDialog } from './dialog.tsx'
import { Quality } from './player-controls.tsx'
import { Choice } from './small.tsx'

export const openSound = () => openDialog(text('sound'), () => <Sound />)

function Slider ({ label, of, min, max, unit }: {
  label: string, of: Signal<number>, min: number, max: number, unit: string
}) {
  const said = `${of.value} ${unit}`
  return (
    <label>{label}
      <span class='slider'>
        <input
          type='range' min={min} max={max} step={1} value={of.value} aria-label={label} aria-valuetext={said}
          style={{ '--part': (of.value - min) / (max - min) }}
          onInput={event => { of.value = Number(event.currentTarget.value) }}
        />
        <span aria-hidden='true'>{said}</span>
      </span>
    </label>
  )
}

/** Settings of transitions, loudness and the sleep timer. */
function Sound () {
  const when = sleep.value
  return (
    <div class='form'>
      {current.value !== undefined && (
        <div class='sound-quality'><span aria-hidden='true'>{text('quality')}</span><Quality /></div>
      )}
      {tellsLine() && (
        <Choice
          label={text('qualityMobile')} value={mobileQuality.value}
          options={[['smallest', text('qualitySmallest')], ['same', text('qualitySame')]]}
          onChoose={value => { mobileQuality.value = value as 'smallest' | 'same' }}
        />
      )}
      <Slider label={text('crossfade')} of={crossfade} min={0} max={longestCrossfade} unit={text('secondsUnit')} />
      <Choice
        label={text('sleepTimer')} value={typeof when === 'number' ? 'set' : when ?? ''}
        options={[
          ['', text('off')],
          ...typeof when === 'number' ? [['set', text('sleepAt', { time: timeOfDay(when) })] as const] : [],
          ...[5, 15, 30, 45, 60, 90].map(minutes => [String(minutes), text('sleepIn', { minutes })] as const),
          ['track', text('sleepTrack')]
        ]}
        onChoose={value => sleepAfter(value === 'track' ? value : Number(value) || undefined)}
      />
      <Choice
        label={text('gain')} value={gainMode.value}
        options={[['off', text('off')], ['track', text('gainTrack')], ['album', text('gainAlbum')]]}
        onChoose={value => { gainMode.value = value as GainMode }}
      />
      {gainMode.value !== 'off' && (
        <Slider label={text('preamp')} of={preamp} min={-mostPreamp} max={mostPreamp} unit='dB' />
      )}
      {offers.value.queue === true && isOwn(source.value) && (
        <>
          <label>{text('deviceName')}
            <input
              type='text' maxLength={50} value={deviceName.value}
              onChange={event => { deviceName.value = event.currentTarget.value.trim() }}
            />
          </label>
          <label class='check'>
            <input
              type='checkbox' checked={isPrivate.value}
              onChange={event => { isPrivate.value = event.currentTarget.checked }}
            />
            <span>{text('privateListening')}<small>{text('privateListeningAbout')}</small></span>
          </label>
        </>
      )}
    </div>
  )
}
