import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** A line above the player, which a part that is loaded later may fill. */
export const playerSlot = signal<ComponentChildren>(undefined)
