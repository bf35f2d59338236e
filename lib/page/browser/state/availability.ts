import { effect } from '@preact/signals'
import { unavailable } from './gone.ts'
import { askOwn, offers, session } from './sources.ts'

// Requests the state of the sources every half minute.
effect(() => {
  unavailable.value = []
  if (session.value !== 'open' || !offers.value.sources) return
  // A request that fails says nothing about the sources.
  const look = () => askOwn('GET unavailable')
    .then(({ items }) => { unavailable.value = items.map(id => `${id}:`) }, () => {})
  look()
  const timer = setInterval(() => document.hidden || look(), 30_000)
  return () => clearInterval(timer)
})
