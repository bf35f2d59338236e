import type { HouseholdConnection } from '../../page-responses.ts'
import { text } from '../texts/index.ts'
import { typedIn } from './small.tsx'

interface ConnectionListProps {
  readonly items: readonly (Omit<HouseholdConnection, 'takes'> & Partial<Pick<HouseholdConnection, 'takes'>>)[]
  readonly connect: (service: string, secret: string) => void
  readonly disconnect: (service: string) => void
}

/** Lists connected services and sources, with forms to connect others. */
export function ConnectionList ({ items, connect, disconnect }: ConnectionListProps) {
  const send = (event: Event, service: string) => {
    const { user, secret = '' } = typedIn(event)
    connect(service, user === undefined ? secret : `${user}\n${secret}`)
  }
  return (
    <>
      {items.map(({ service, title, user, problem, takes }) => user === undefined
        ? (
          <form
            key={service} class={takes === 'login' ? 'form' : 'inline-form'} onSubmit={event => send(event, service)}
          >
            {takes === 'login' && (
              <label>
                {text('loginUser', { title })}
                <input name='user' autocomplete='off' required maxLength={400} />
              </label>
            )}
            {takes === 'login'
              ? (
                <label>
                  {text('loginPassword', { title })}
                  <input name='secret' type='password' autocomplete='off' required maxLength={500} />
                </label>
                )
              : (
                <input
                  name='secret' type='password' autocomplete='off' required maxLength={1000}
                  aria-label={text('serviceToken', { title })} placeholder={text('serviceToken', { title })}
                />
                )}
            <button class='button'>{text('connect')}</button>
          </form>
          )
        : (
          <p key={service}>
            <strong>{title}</strong> <span dir='auto'>{user}</span> {problem && <small>{problem}</small>}
            {' '}
            <button type='button' class='button' onClick={() => disconnect(service)}>
              {text('disconnect', { title })}
            </button>
          </p>
          ))}
    </>
  )
}
