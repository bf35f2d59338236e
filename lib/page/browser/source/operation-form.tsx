import { useEffect, useRef, useState } from 'preact/hooks'
import type { AdapterMethod, Operation } from '../../../client/index.ts'
import { developmentPath } from '../../../contract/operations.ts'
import { requestOf } from '../../../client/internal.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { explain } from '../state/explain.ts'
import { source } from '../state/saved-sources.ts'
import { bytes, text } from '../texts/index.ts'
import { Json } from './json.tsx'
import { opened } from './open-form.ts'

interface ParameterSchema {
  readonly type: 'string' | 'integer' | 'boolean'
  readonly description?: string
  readonly default?: string | number
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly { readonly const: string }[]
}

/** The server's description of an operation. */
export interface Described {
  readonly summary: string
  readonly parameters: {
    readonly properties: Readonly<Record<string, ParameterSchema>>, readonly required?: readonly string[]
  }
}

interface Answer {
  readonly status: number
  readonly milliseconds: number
  readonly size: number
  readonly body: string
  /** The log of a source in development for a failed request. */
  readonly log: string
}

/** The maximum number of shown characters of a response. */
const longest = 500_000

const quote = (value: string) => `'${value.replaceAll("'", String.raw`'\''`)}'`

/** Returns the value of a field as its parameter; `undefined` = left out. */
function valueOf ({ type }: ParameterSchema, typed: string | undefined): unknown {
  if (type === 'boolean') return typed === 'true'
  if (typed === undefined || typed === '') return undefined
  // Invalid numbers are sent unchanged, to show how the source rejects them.
  return type === 'integer' && /^-?\d+$/.test(typed) ? Number(typed) : typed
}

/** Renders the form of an operation, with its response. */
export function OperationForm (
  { operation, described: { summary, parameters } }: { operation: Operation, described: Described }
) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [answer, setAnswer] = useState<Answer | undefined>(undefined)
  const [error, setError] = useState('')
  const { adapterMethod, method, path } = operation
  const schemaOf = (name: string) => parameters.properties[name]!
  const request = requestOf(operation, operation.parameters.map(name => valueOf(schemaOf(name), typed[name])))
  const { url, token } = source.value

  const { value: asked } = opened
  useEffect(() => { if (asked?.method === adapterMethod) setTyped({ ...typed, ...asked.typed }) }, [asked])
  const sent = useRef<AbortController | undefined>(undefined)
  const send = async (event: Event) => {
    event.preventDefault()
    sent.current?.abort()
    const { signal } = sent.current = new AbortController()
    setError('')
    setAnswer(undefined)
    const began = performance.now()
    try {
      const response = await fetch(url + request.path, {
        method,
        signal,
        headers: {
          authorization: token, ...(request.body === undefined ? {} : { 'content-type': 'application/json' })
        },
        ...(request.body === undefined ? {} : { body: request.body })
      })
      const body = await response.text()
      const milliseconds = performance.now() - began
      setAnswer({
        status: response.status,
        milliseconds,
        size: new TextEncoder().encode(body).length,
        body,
        log: await logOf(response, url, { authorization: token }, signal)
      })
    } catch (error) {
      if (!signal.aborted) setError(explain(error))
    }
  }
  const curl = [
    'curl', ...(method === 'POST' ? ['-X POST'] : []), '-H "Authorization: $SOURCE_API_TOKEN"',
    ...(request.body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(request.body)}`]),
    quote(url + request.path)
  ].join(' ')

  return (
    <details class='operation' data-method={adapterMethod}>
      <summary>
        <span class={`method ${method.toLowerCase()}`}>{method}</span>
        <code>{path}</code>
        <small>{summary}</small>
      </summary>
      <form class='form' aria-label={adapterMethod} onSubmit={event => { send(event) }}>
        {operation.parameters.map(name => (
          <Field
            key={name} name={name} schema={schemaOf(name)} required={parameters.required?.includes(name) === true}
            value={typed[name] ?? ''}
            set={value => setTyped({ ...typed, [name]: value })}
          />
        ))}
        <pre class='curl' tabIndex={0} aria-label='curl'><code>{curl}</code></pre>
        <p class='actions'>
          <button class='button primary'>{text('send')}</button>
          <CopyButton label='curl' value={curl} />
        </p>
        <div aria-live='polite'>
          {error !== '' && <p class='wrong'>{error}</p>}
          {answer !== undefined && (
            <>
              <p class='answer-facts'>
                <strong class={answer.status < 400 ? 'good' : 'bad'}>{answer.status}</strong>
                <span>{Math.round(answer.milliseconds)} ms</span>
                <span>{bytes(answer.size)}</span>
              </p>
              <p class='actions'><CopyButton label={text('answer')} value={answer.body} /></p>
              <Answered body={answer.body} method={adapterMethod} />
              {answer.log !== '' && (
                <pre class='answer' tabIndex={0} aria-label={text('log')}><code>{answer.log}</code></pre>
              )}
            </>
          )}
        </div>
      </form>
    </details>
  )
}

function Field ({ name, schema, required, value, set }: {
  name: string, schema: ParameterSchema, required: boolean, value: string, set: (value: string) => void
}) {
  const { type, description, anyOf, default: usual } = schema
  const options = type === 'boolean' ? ['true', 'false'] : anyOf?.map(({ const: option }) => option)
  return (
    <label>
      <span><code>{name}</code>{required && ` (${text('required')})`} <small>{description}</small></span>
      {options === undefined
        ? (
          <input
            value={value} inputMode={type === 'integer' ? 'numeric' : 'text'}
            placeholder={usual === undefined ? '' : String(usual)} onInput={event => set(event.currentTarget.value)}
          />
          )
        : (
          <select
            value={type === 'boolean' ? value || 'false' : value} onChange={event => set(event.currentTarget.value)}
          >
            {type !== 'boolean' && <option value='' />}
            {options.map(option => <option key={option} value={option}>{option}</option>)}
          </select>
          )}
    </label>
  )
}

/**
 * Returns the log of a request. The log requires a request id, and sources on other servers do not show it to browsers.
 */
async function logOf ({ status, headers: answered }: Response, url: string, headers: HeadersInit, signal: AbortSignal) {
  const id = answered.get('x-request-id')
  if (status < 500 || id === null) return ''
  try {
    const response = await fetch(`${url}${developmentPath}?request=${encodeURIComponent(id)}`, { headers, signal })
    return String((await response.json()).data.failure ?? '')
  } catch {
    return ''
  }
}

/** Shows a response: JSON is collapsible, other content is shown as text. */
function Answered ({ body, method }: { body: string, method: AdapterMethod }) {
  if (body.length <= longest) {
    try {
      return <Json value={JSON.parse(body)} method={method} />
    } catch {}
  }
  const shown = body.length > longest ? `${body.slice(0, longest)}\n…` : body
  return <pre class='answer' tabIndex={0} aria-label={text('answer')}><code>{shown}</code></pre>
}
