import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { explain } from '../state/explain.ts'
import { Trouble, Waiting } from './small.tsx'

/** Those that were opened before are there at once, as who comes back to them left them. */
const loadedViews = new Map<() => Promise<ComponentType>, ComponentType>()

/** What few people open is loaded when it is opened. */
export function Later ({ load }: { load: () => Promise<ComponentType> }) {
  const [View, setView] = useState(() => loadedViews.get(load))
  const [error, setError] = useState('')
  const get = () => {
    setError('')
    load().then(View => {
      loadedViews.set(load, View)
      setView(() => View)
    }, error => setError(explain(error)))
  }
  useEffect(() => { if (View === undefined) get() }, [])
  if (error !== '') return <Trouble message={error} again={get} />
  return View === undefined ? <Waiting /> : <View />
}
