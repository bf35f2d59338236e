import { signal } from '@preact/signals'

/** Whether the source cannot be reached, so that views show the data of earlier requests. */
export const isLost = signal(!navigator.onLine)
addEventListener('offline', () => { isLost.value = true })
addEventListener('online', () => { isLost.value = false })
