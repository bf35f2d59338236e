import { signal } from '@preact/signals'
import { keep, recall } from './storage.ts'

export type Panel = 'queue' | 'lyrics'

/** What stands beside the view; empty = nothing. */
export const panel = signal<Panel | ''>(recall<Panel | ''>('panel', ''))

export function togglePanel (name: Panel): void {
  panel.value = panel.value === name ? '' : name
  keep('panel', panel.value)
}
