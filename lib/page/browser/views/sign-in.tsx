import { useEffect, useRef, useState } from 'preact/hooks'
import { isOwn } from '../state/own.ts'
import {
  addSource, connect, failure, removeSource, session, signIn, source, sources, switchTo, trouble
} from '../state/sources.ts'
import { Later } from '../parts/later.tsx'
import { Choice, IconButton, typedIn, Waiting } from '../parts/small.tsx'
import { showKeys } from '../parts/keys.ts'
import { isUnconnected } from '../state/explain.ts'
import { useTryLater } from '../state/try-later.ts'
import { language, speak, text, type Language } from '../texts/index.ts'
import { View } from './view.tsx'

/** Shown while the current source is not open. */
export function SignIn () {
  // Who mistyped it finds it again.
  const [token, setToken] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const retry = useRef<HTMLButtonElement>(null)
  // What had the focus is gone while the source is asked.
  useEffect(() => { (field.current ?? retry.current)?.focus() }, [session.value])
  useTryLater(failure.value, () => { connect() })
  const isAway = isUnconnected(failure.value)
  if (session.value === 'connecting') return <div class='gate'><Waiting /></div>
  return (
    <div class='gate'>
      <div class='gate-box'>
        <span class='logo' aria-hidden='true'><i /><i /><i /><i /></span>
        <h1 dir='auto'>{source.value.name}</h1>
        {session.value === 'token'
          ? (
            <form class='form' onSubmit={event => { event.preventDefault(); signIn(token) }}>
              <p>{text('tokenAsk')}</p>
              <label>{text('token')}
                <input
                  ref={field} type='password' autocomplete='current-password' required value={token}
                  onInput={event => setToken(event.currentTarget.value)}
                />
              </label>
              {trouble.value !== '' && <p class='wrong' role='alert'>{trouble.value}</p>}
              <button class='button primary'>{text('signIn')}</button>
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

const loadOwnSource = () => import('./own-source.tsx').then(({ OwnSource }) => OwnSource)

/** Which sources this browser knows, and the language. */
export function Sources () {
  const [wrong, setWrong] = useState('')
  const add = (event: Event) => {
    const { url, name, token } = typedIn(event)
    try {
      addSource(url!, name!, token!)
    } catch {
      setWrong(text('urlWrong'))
    }
  }
  return (
    <View title={text('sources')}>
      <ul class='source-list'>
        {sources.value.map(known => (
          <li key={known.url} aria-current={known.url === source.value.url ? 'true' : undefined}>
            <button type='button' onClick={() => { switchTo(known.url) }}>
              <strong dir='auto'>{known.name}</strong>
              <small>{known.url}</small>
            </button>
            {known.url === source.value.url
              ? <button type='button' class='button' onClick={() => { signIn('') }}>{text('signOut')}</button>
              : !isOwn(known) && (
                <IconButton
                  icon='trash' label={text('forget', { name: known.name })} onClick={() => { removeSource(known.url) }}
                />
                )}
          </li>
        ))}
      </ul>
      <form class='form card-form' onSubmit={add}>
        <h2>{text('addSource')}</h2>
        <p>{text('addSourceAbout')}</p>
        <label>
          {text('url')}
          <input name='url' type='url' required placeholder='https://music.example.com' />
        </label>
        <label>{text('name')}<input name='name' /></label>
        <label>{text('token')}<input name='token' type='password' autocomplete='off' required /></label>
        {wrong !== '' && <p class='wrong' role='alert'>{wrong}</p>}
        <button class='button primary'>{text('add')}</button>
      </form>
      {isOwn(source.value) && <Later load={loadOwnSource} />}
      <p><LanguageSwitch /></p>
      <p><button type='button' class='button' onClick={showKeys}>{text('keys')}</button></p>
    </View>
  )
}
