import { effect, signal } from '@preact/signals'
import { newId } from './new-id.ts'
import { keep, recall } from './storage.ts'

/** Returns a stored id. Without storage it is another one after a reload. */
function storedId (storage: () => Storage): string {
  try {
    const kept = storage().getItem('source-page:device') ?? newId()
    storage().setItem('source-page:device', kept)
    return kept
  } catch {
    return newId()
  }
}

const browser = storedId(() => localStorage)

/** The id of this tab, which begins with the id of the browser: tabs play separately. */
export const thisDevice = `${browser}.${storedId(() => sessionStorage)}`

/** Returns whether a device is a tab of this browser. */
export const isOfBrowser = (device: string) => device.startsWith(`${browser}.`)

/** The name that the user has chosen for this browser; empty = none. */
export const deviceName = signal(String(recall<unknown>('deviceName', '')))
effect(() => keep('deviceName', deviceName.value))
