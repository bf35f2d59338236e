import { effect, signal } from '@preact/signals'
import { keep, recall } from './storage.ts'

/** What browsers for phones tell of the line, and others do not. */
interface Line { readonly type?: string, readonly saveData?: boolean }

const line = (): Line => (navigator as { connection?: Line }).connection ?? {}

/** Whether the browser tells when it is on mobile data. */
export const tellsLine = () => line().type !== undefined

/** What *Automatic* takes on mobile data: the smallest quality, unless the listener says otherwise. */
export const mobileQuality = signal<'smallest' | 'same'>(recall<unknown>('mobile', '') === 'same' ? 'same' : 'smallest')
effect(() => keep('mobile', mobileQuality.value))

/** Whether each byte counts now. */
export const isSparing = () =>
  mobileQuality.value === 'smallest' && (line().type === 'cellular' || line().saveData === true)
