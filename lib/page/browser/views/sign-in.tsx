import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Later } from '../parts/later.tsx'
import { Choice, Waiting } from '../parts/small.tsx'
import { hasProvider } from '../state/configuration.ts'
import { isUnconnected } from '../state/explain.ts'
import { isOwn } from '../state/own.ts'
import { parked } from '../state/parked-accounts.ts'
import { source, sources } from '../state/saved-sources.ts'
import { connect, failure, session, trouble } from '../state/session.ts'
import { goOnAs, signIn, signOutOfAll, switchTo } from '../state/sign-in.ts'
import { useTryLater } from '../state/try-later.ts'
import { language, speak, text, type Language } from '../texts/index.ts'

/**
 * Renders the sign-in form, while the current source is not open.
 *
 * @param loadProviders loads the buttons of the providers
 */
export function SignIn ({ loadProviders }: { loadProviders: () => Promise<ComponentType> }) {
  // A mistyped token stays in the field.
  const [token, setToken] = useState('')
  const [isTyping, setTyping] = useState(!hasProvider || !isOwn(source.value))
  const field = useRef<HTMLInputElement>(null)
  const retry = useRef<HTMLButtonElement>(null)
  // The focused element disappears while the source is called.
  useEffect(() => { (field.current ?? retry.current)?.focus() }, [session.value, isTyping])
  useTryLater(failure.value, () => { connect() })
  const isAway = isUnconnected(failure.value)
  if (session.value === 'connecting') return <div class='gate'><Waiting /></div>
  return (
    <div class='gate'>
      <div class='gate-box'>
        <span class='logo' aria-hidden='true'><i /><i /><i /><i /></span>
        <h1 dir='auto'>{source.value.name}</h1>
        {session.value === 'token' && !isTyping
          ? (
            <div class='form'>
              <Later load={loadProviders} />
              <button type='button' class='button' onClick={() => setTyping(true)}>{text('signInToken')}</button>
              <Others />
            </div>
            )
          : session.value === 'token'
            ? (
              <form class='form' onSubmit={event => { event.preventDefault(); signIn(token) }}>
                <p>{text('tokenAsk')}</p>
                <input autocomplete='username' value={source.value.account ?? source.value.name} hidden readOnly />
                <label>{text('token')}
                  <input
                    ref={field} type='password' autocomplete='current-password' required value={token}
                    onInput={event => setToken(event.currentTarget.value)}
                  />
                </label>
                {trouble.value !== '' && <p class='wrong' role='alert'>{trouble.value}</p>}
                <button class='button primary'>{text('signIn')}</button>
                {isOwn(source.value) && <Others />}
                <p class='fine'>{text('tokenKept')}</p>
              </form>
              )
            : (
              <div class='form'>
                <p class='wrong' role='alert'>
                  {isAway ? trouble.value : text('cannotReach', { why: trouble.value })}
                </p>
                {isAway && <p>{text('away')}</p>}
                <button ref={retry} type='button' class='button primary' onClick={() => { connect() }}>
                  {text('tryAgain')}
                </button>
                <button type='button' class='button' onClick={() => { signIn('') }}>{text('otherToken')}</button>
              </div>
              )}
        {sources.value.length > 1 && <SourceSwitch />}
        <LanguageSwitch />
      </div>
    </div>
  )
}

/** Renders other accounts that have signed in in this browser, by name. */
const Others = () => parked.value.length === 0
  ? null
  : (
    <>
      {parked.value.map(other => (
        <button key={other.token} type='button' class='button' dir='auto' onClick={() => { goOnAs(other) }}>
          {text('signInAs', { name: other.user })}
        </button>
      ))}
      <button type='button' class='button' onClick={() => { signOutOfAll() }}>{text('signOutAll')}</button>
    </>
    )

const SourceSwitch = () => (
  <Choice
    class='switch' label={text('source')} value={source.value.url}
    options={sources.value.map(({ url, name }) => [url, name])} onChoose={url => { switchTo(url) }}
  />
)

export const LanguageSwitch = () => (
  <Choice
    class='switch' label={text('language')} value={language.value} options={[['en', 'English'], ['zh', '中文']]}
    onChoose={name => speak(name as Language)}
  />
)
