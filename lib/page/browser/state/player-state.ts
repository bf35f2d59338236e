import { signal } from '@preact/signals'
import type { TrackUrl } from '../../../client/index.ts'
import { recall } from './storage.ts'

/** Whether the listener wants sound. */
export const playing = signal(false)
export const loading = signal(false)
/** The position in seconds. */
export const position = signal(0)
/** The duration in seconds. */
export const duration = signal(0)
/** The volume, 0 to 1. */
export const volume = signal(Math.min(1, Math.max(0, Number(recall('volume', 1)) || 0)))
export const muted = signal(false)
/** The key of the requested quality; empty = automatic. */
export const wanted = signal(recall('quality', ''))
/** The quality that the source sent for the current track. */
export const given = signal<TrackUrl | undefined>(undefined)
