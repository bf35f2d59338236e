import { signal } from '@preact/signals'
import type { TrackUrl } from '../../../client/index.ts'
import { recall } from './storage.ts'

/** Whether the listener wants sound now. */
export const playing = signal(false)
export const loading = signal(false)
/** Seconds. */
export const position = signal(0)
/** Seconds. */
export const duration = signal(0)
/** 0 to 1. */
export const volume = signal(Math.min(1, Math.max(0, Number(recall('volume', 1)) || 0)))
export const muted = signal(false)
/** Key of the quality that the listener wants; empty = the source chooses. */
export const wanted = signal(recall('quality', ''))
/** What the source gave for the current track. */
export const given = signal<TrackUrl | undefined>(undefined)
