import { explain } from '../state/explain.ts'
import { loadPart } from '../state/load-part.ts'
import { say } from '../state/notices.ts'
import { sleep } from '../state/sound.ts'
import { session } from '../state/sources.ts'
import { text } from '../texts/index.ts'
import { IconButton } from './small.tsx'

/** Opens the settings of the sound, which are loaded then. It is pressed while the sleep timer is on. */
export function SoundButton () {
  const open = () => {
    loadPart(() => import('../later.ts')).then(({ openSound }) => {
      if (session.value === 'open') openSound()
    }, error => say(explain(error), true))
  }
  const isOn = sleep.value !== undefined
  return (
    <IconButton
      icon='sound' label={isOn ? `${text('sound')} (${text('sleepTimer')})` : text('sound')} onClick={open}
      class={isOn ? 'on' : ''}
    />
  )
}
