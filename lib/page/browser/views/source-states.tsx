import { askOwn } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { moment, text } from '../texts/index.ts'

/** Shows the operator which of several sources are available, and why others are not. */
export function SourceStates () {
  const { data } = useLoad('source-states', signal => askOwn('GET sources', {}, signal), true)
  const items = data?.items ?? []
  if (items.length === 0) return null
  return (
    <section class='card-form'>
      <h2>{text('sourceStates')}</h2>
      {items.map(({ id, name, available, since, reason = '' }) => (
        <p key={id}>
          <strong dir='auto'>{name}</strong>{' '}
          {available ? text('sourceAvailable') : text('sourceUnavailable', { time: moment(since), reason })}
        </p>
      ))}
    </section>
  )
}
