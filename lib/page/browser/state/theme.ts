import { signal } from '@preact/signals'
import { keep, recall } from './storage.ts'

const themes = ['light dark', 'dark', 'light'] as const
/** The colour schemes that the page may use. The first value follows the system. */
export type Theme = typeof themes[number]

const stored = recall<Theme>('theme', 'light dark')
export const theme = signal<Theme>(themes.includes(stored) ? stored : 'light dark')
theme.subscribe(value => { document.documentElement.style.colorScheme = value })

export function setTheme (value: Theme): void {
  theme.value = value
  keep('theme', value)
}
