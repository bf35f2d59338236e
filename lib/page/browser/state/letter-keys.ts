import { effect, signal } from '@preact/signals'
import { keep, recall } from './storage.ts'

/** Whether single-letter shortcuts are enabled. Users of voice control may not want them. */
export const lettersOn = signal(recall<unknown>('letters', true) !== false)

effect(() => keep('letters', lettersOn.value))
