import { effect, signal } from '@preact/signals'
import { keep, recall } from './storage.ts'

/** The connection information that mobile browsers expose, and others do not. */
interface Line { readonly type?: string, readonly saveData?: boolean }

const line = (): Line => (navigator as { connection?: Line }).connection ?? {}

/** Returns whether the browser reports mobile data connections. */
export const tellsLine = () => line().type !== undefined

/** The quality of *Automatic* on mobile data. Default: the smallest. */
export const mobileQuality = signal<'smallest' | 'same'>(recall<unknown>('mobile', '') === 'same' ? 'same' : 'smallest')
effect(() => keep('mobile', mobileQuality.value))

/** Returns whether data should be saved now. */
export const isSparing = () =>
  mobileQuality.value === 'smallest' && (line().type === 'cellular' || line().saveData === true)
