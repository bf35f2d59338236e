import { useEffect, useState } from 'preact/hooks'
import { source } from '../state/saved-sources.ts'
import { text } from '../texts/index.ts'

/** The maximum number of listed requests. */
const maxRequests = 100

/** Renders the page's own requests to the source, newest first, as measured by the browser. */
export function RequestLog () {
  const [entries, setEntries] = useState<readonly PerformanceResourceTiming[]>([])
  const { url } = source.value
  useEffect(() => {
    const observer = new PerformanceObserver(list => {
      const all = list.getEntries() as PerformanceResourceTiming[]
      const asked = all.filter(({ name }) => name.startsWith(`${url}/v1/`))
      setEntries(before => [...asked.reverse(), ...before].slice(0, maxRequests))
    })
    observer.observe({ type: 'resource', buffered: true })
    return () => observer.disconnect()
  }, [url])
  return (
    <ol class='request-log' tabIndex={0} aria-label={text('requests')}>
      {entries.map(({ name, startTime, duration, responseStatus }) => (
        <li key={`${startTime} ${name}`}>
          <time>{new Date(performance.timeOrigin + startTime).toLocaleTimeString()}</time>
          <span class={responseStatus < 400 ? '' : 'bad'}>{responseStatus || '–'}</span>
          <span>{Math.round(duration)} ms</span>
          <code>{name.slice(url.length)}</code>
        </li>
      ))}
    </ol>
  )
}
