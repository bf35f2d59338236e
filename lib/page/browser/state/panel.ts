import { signal } from '@preact/signals'
import { keep, recall } from './storage.ts'

export type Panel = 'queue' | 'lyrics'

/** The panel next to the view; empty = none. */
export const panel = signal<Panel | ''>(recall<Panel | ''>('panel', ''))

export function togglePanel (name: Panel): void {
  panel.value = panel.value === name ? '' : name
  keep('panel', panel.value)
}
