import { typedIn } from '../parts/small.tsx'
import { change } from '../state/account-lists.ts'
import { askOwn, source } from '../state/sources.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'

/** Services that are told what one listens to: connects them by a token of one's own there, and ends that. */
export function Services () {
  const { data, again } = useLoad('services', signal => askOwn('GET services', {}, signal), true)
  const items = data?.items.filter(({ user, takesToken }) => user !== undefined || takesToken) ?? []
  if (items.length === 0) return null
  const run = async (call: () => Promise<{ success: boolean }>) => {
    const asked = source.value
    await change(call, text('saved'))
    if (asked === source.value) again()
  }
  const connect = (event: Event, service: string) => {
    const { token = '' } = typedIn(event)
    run(() => askOwn('POST services', { service, token }))
  }
  return (
    <section class='card-form'>
      <h2>{text('services')}</h2>
      <p>{text('servicesAbout')}</p>
      {items.map(({ service, title, user, problem }) => user === undefined
        ? (
          <form key={service} class='inline-form' onSubmit={event => connect(event, service)}>
            <input
              name='token' type='password' autocomplete='off' required maxLength={1000}
              aria-label={text('serviceToken', { title })} placeholder={text('serviceToken', { title })}
            />
            <button class='button'>{text('connect')}</button>
          </form>
          )
        : (
          <p key={service}>
            <strong>{title}</strong> <span dir='auto'>{user}</span> {problem && <small>{problem}</small>}
            {' '}
            <button type='button' class='button' onClick={() => run(() => askOwn('POST services/end', { service }))}>
              {text('disconnect', { title })}
            </button>
          </p>
          ))}
    </section>
  )
}
