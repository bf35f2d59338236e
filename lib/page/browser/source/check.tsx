import { useEffect, useRef, useState } from 'preact/hooks'
import type { OperationOutcome, Report } from '../../../check/index.ts'
import { explain } from '../state/explain.ts'
import { fetchOwn, isOwn } from '../state/own.ts'
import { Waiting } from '../parts/small.tsx'
import { source } from '../state/saved-sources.ts'
import { text, type TextName } from '../texts/index.ts'

/**
 * Renders the conformance check of the source beside the page. Its server runs it, since browsers hide details that it
 * checks.
 */
export function Check () {
  const [report, setReport] = useState<Report | 'running' | undefined>(undefined)
  const [error, setError] = useState('')
  const { current: left } = useRef(new AbortController())
  useEffect(() => () => left.abort(), [])
  const asked = source.value
  if (!isOwn(asked)) return <p>{text('checkElsewhere')} <code>npx source-origin check {asked.url}</code></p>

  const run = async () => {
    setError('')
    setReport('running')
    try {
      setReport(await fetchOwn(asked, 'POST check', {}, left.signal))
    } catch (error) {
      setError(explain(error))
      setReport(undefined)
    }
  }
  return (
    <>
      <p>{text('checkAbout')}</p>
      <button type='button' class='button primary' disabled={report === 'running'} onClick={() => { run() }}>
        {text('checkRun')}
      </button>
      <div aria-live='polite'>
        {error !== '' && <p class='wrong'>{error}</p>}
        {report === 'running' && <Waiting />}
        {typeof report === 'object' && <Shown report={report} />}
      </div>
    </>
  )
}

/** The reasons why operations were not checked. */
const reasons: Partial<Record<OperationOutcome, TextName>> = {
  'not offered': 'checkNotOffered', 'not run': 'checkNotRun', 'not checked': 'checkNotChecked'
}

function Shown ({ report: { outcome, operations, findings, notLoaded } }: { report: Report }) {
  const count = (wanted: string) => operations.filter(({ outcome }) => outcome === wanted).length
  const outcomes = [...new Set(operations.map(({ outcome }) => outcome))]
  return (
    <div class='report'>
      <p class={`outcome ${outcome}`}>
        <strong>{outcome}</strong> {outcomes.map(name => `${count(name)} ${name}`).join(', ')}
      </p>
      {outcomes.map(name => (
        <details key={name} class='outcomes'>
          <summary><strong>{name}</strong>{reasons[name] !== undefined && ` – ${text(reasons[name])}`}</summary>
          <ul>
            {operations.filter(({ outcome }) => outcome === name).map(({ operation, method, path }) => (
              <li key={operation}><code>{method} {path}</code></li>
            ))}
          </ul>
        </details>
      ))}
      <ul class='findings'>
        {findings.map(({ rule, level, operation, request, path, message, hint, log }, index) => (
          <li key={index} class={level}>
            <p><strong>{level}</strong> <code>{rule}</code> {operation}</p>
            <p><code>{request}{path === undefined ? '' : ` ${path}`}</code></p>
            <p>{message}</p>
            {log !== undefined && <pre class='answer' tabIndex={0} aria-label={text('log')}><code>{log}</code></pre>}
            <p><small>{hint}</small></p>
          </li>
        ))}
      </ul>
      {notLoaded.length > 0 && (
        <details class='outcomes'>
          <summary>{text('checkNotLoaded')}</summary>
          <ul>{notLoaded.map(({ url, operation }) => <li key={url}><code>{url}</code> {operation}</li>)}</ul>
        </details>
      )}
    </div>
  )
}
