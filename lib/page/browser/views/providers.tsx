import { useState } from 'preact/hooks'
import { connectProvider, signInAtProvider, signInByProxy, wasOpen } from '../state/ask-provider.ts'
import { configuration, pageUrl } from '../state/configuration.ts'
import { explain } from '../state/explain.ts'
import { offers, trouble } from '../state/session.ts'
import { day, text } from '../texts/index.ts'

function Action ({ label, run, primary = false }: { label: string, run: () => Promise<void>, primary?: boolean }) {
  const [wrong, setWrong] = useState('')
  const [isAsking, setAsking] = useState(false)
  const start = () => {
    setAsking(true)
    run().catch(error => {
      setWrong(explain(error))
      setAsking(false)
    })
  }
  return (
    <>
      {wrong !== '' && <p class='wrong' role='alert'>{wrong}</p>}
      <button type='button' class={`button ${primary ? 'primary' : ''}`} disabled={isAsking} onClick={start}>
        {label}
      </button>
    </>
  )
}

/** Renders the buttons of the sign-in view, and after a sign-out the sign-out at the provider. */
export function Providers () {
  const { provider, header, signOutUrl = new URL('page/sign-in/end', pageUrl).href } = configuration
  return (
    <div class='form'>
      {trouble.value !== '' && <p class='wrong' role='alert'>{trouble.value}</p>}
      {provider !== undefined && (
        <Action primary label={text('signInWith', { name: provider })} run={signInAtProvider} />
      )}
      {header && <Action primary={provider === undefined} label={text('signInProxy')} run={signInByProxy} />}
      {wasOpen && (provider ?? configuration.signOutUrl) !== undefined && (
        <a class='button' href={signOutUrl}>{text('signOutProvider', { name: provider ?? text('proxy') })}</a>
      )}
    </div>
  )
}

/** Connects the account with a person at the provider, and says until when it is valid. */
export const ProviderOfAccount = () => {
  const { validUntil } = offers.value
  const name = configuration.provider!
  return (
    <section class='card-form'>
      <h2>{name}</h2>
      <p>{validUntil === undefined ? text('connectAbout') : text('validUntil', { day: day(validUntil) })}</p>
      {validUntil === undefined && <Action label={text('connectWith', { name })} run={connectProvider} />}
    </section>
  )
}
