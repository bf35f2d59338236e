import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { explain } from '../state/explain.ts'
import { Trouble, Waiting } from './small.tsx'

/** Views that were opened before are shown at once. */
const loadedViews = new Map<() => Promise<ComponentType>, ComponentType>()

/** A view that few people open. It is loaded when it is opened. */
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
