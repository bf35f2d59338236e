import { effect, signal } from '@preact/signals'
import { keep, recall } from './storage.ts'

/** Whether keys of one letter do something: who speaks to a computer may not want them. */
export const lettersOn = signal(recall<unknown>('letters', true) !== false)

effect(() => keep('letters', lettersOn.value))
