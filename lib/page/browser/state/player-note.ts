import { signal } from '@preact/signals'

/** A line above the player about the queue of another device, with a button. */
export interface PlayerNote {
  readonly text: string
  readonly label: string
  readonly run: () => void
}

export const playerNote = signal<PlayerNote | undefined>(undefined)
