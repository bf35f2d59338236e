import { useEffect, useState } from 'preact/hooks'
import type { OwnAnswers } from '../../page-responses.ts'
import { askOwn, reload } from '../state/session.ts'
import { exactly, text } from '../texts/index.ts'

/** The interval between two requests in milliseconds. */
const every = 3000

/** Shows the file-reading progress of the source beside the page. When it has finished, views reload their lists. */
export function Progress () {
  const [{ done, total }, show] = useState<OwnAnswers['GET progress']>({})
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    let isReading = false
    const look = async () => {
      try {
        const seen = await askOwn('GET progress', undefined, signal)
        if (seen.done === undefined && isReading) await reload()
        if (signal.aborted) return
        isReading = seen.done !== undefined
        show(seen)
        if (isReading) timer = setTimeout(look, every)
      } catch {
        // A failed request says nothing about the files.
        if (!signal.aborted) timer = setTimeout(look, every)
      }
    }
    look()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [])
  return (
    <p class='progress' role='status' aria-live='polite'>
      {done !== undefined && (total === undefined
        ? text('progressSoFar', { done: exactly(done) })
        : text('progress', { done: exactly(done), total: exactly(total) }))}
    </p>
  )
}
