import { effect, signal } from '@preact/signals'
import { keep, recall } from './storage.ts'

/** Whether this browser reports nothing that it plays, and has a queue of its own. */
export const isPrivate = signal(recall<unknown>('private', false) === true)
effect(() => keep('private', isPrivate.value))
