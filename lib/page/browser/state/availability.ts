import { effect } from '@preact/signals'
import { unavailable } from './missing-tracks.ts'
import { text } from '../texts/index.ts'
import { askOwn, offers, session } from './session.ts'

// Requests the state of the sources every half minute.
effect(() => {
  const show = (ids: readonly string[]) => {
    unavailable.value = track => ids.some(id => track.startsWith(`${id}:`)) && text('unavailable')
  }
  show([])
  if (session.value !== 'open' || !offers.value.sources) return
  // A failed request says nothing about the sources.
  const look = () => askOwn('GET unavailable').then(({ items }) => show(items), () => {})
  look()
  const timer = setInterval(() => document.hidden || look(), 30_000)
  return () => clearInterval(timer)
})
