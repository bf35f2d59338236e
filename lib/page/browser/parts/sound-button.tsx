import { sleep } from '../state/sound.ts'
import { text } from '../texts/index.ts'
import { IconButton } from './small.tsx'
import { withLater } from './with-later.ts'

/** Opens the sound settings, which are loaded on demand. The button is pressed while the sleep timer is on. */
export function SoundButton () {
  const isOn = sleep.value !== undefined
  return (
    <IconButton
      icon='sound' label={isOn ? `${text('sound')} (${text('sleepTimer')})` : text('sound')} class={isOn ? 'on' : ''}
      onClick={() => withLater(({ openSound }) => openSound())}
    />
  )
}
