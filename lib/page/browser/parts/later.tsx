import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { explain } from '../state/explain.ts'
import { loadPart } from '../state/load-part.ts'
import { useTryLater } from '../state/try-later.ts'
import { Trouble, Waiting } from './small.tsx'

/** Views that were opened before are shown immediately. */
const loadedViews = new Map<() => Promise<ComponentType>, ComponentType>()

/** Renders a rarely used view, loaded on demand. */
export function Later ({ load, of }: { load: () => Promise<ComponentType>, of?: 'covers' | 'rows' | undefined }) {
  const [View, setView] = useState(() => loadedViews.get(load))
  const [failure, setFailure] = useState<unknown>(undefined)
  const get = () => {
    loadPart(load).then(View => {
      loadedViews.set(load, View)
      setView(() => View)
    }, setFailure)
  }
  useEffect(() => { if (View === undefined) get() }, [])
  useTryLater(View === undefined ? failure : undefined, get)
  if (View === undefined && failure !== undefined) return <Trouble message={explain(failure)} again={get} />
  return View === undefined ? <Waiting of={of} /> : <View />
}
