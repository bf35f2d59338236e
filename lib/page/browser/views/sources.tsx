import { useState } from 'preact/hooks'
import { openKeys } from '../parts/key-help.tsx'
import { openOther } from '../parts/other-account.tsx'
import { openSound } from '../parts/sound-settings.tsx'
import { Choice, IconButton, typedIn } from '../parts/small.tsx'
import { explain, isUnconnected } from '../state/explain.ts'
import { isOwn } from '../state/own.ts'
import { source, sources } from '../state/saved-sources.ts'
import { accountOf } from '../state/session.ts'
import { addSource, removeSource, signIn, switchTo } from '../state/sign-in.ts'
import { setTheme, theme, type Theme } from '../state/theme.ts'
import { addressIn, tokenIn } from '../state/typed.ts'
import { text } from '../texts/index.ts'
import { OwnSource } from './own-source.tsx'
import { LanguageSwitch } from './sign-in.tsx'
import { View } from './view.tsx'

/**
 * Adds a source that can be opened. If it would replace an account, the user is asked. @returns the reason of a failure
 */
async function tryToAdd (typedUrl: string, name: string, typedToken: string): Promise<string> {
  let url: string
  try {
    url = addressIn(typedUrl)
  } catch {
    return text('urlWrong')
  }
  const token = tokenIn(typedToken)
  try {
    const account = await accountOf(token, url)
    if (account === undefined) return text('tokenWrong')
    const known = sources.value.find(known => known.url === url)
    if (known === undefined || known.token === '' || known.token === token) await addSource(url, name, token)
    else await openOther({ url, token, name: account, label: text('signIn') })
    return ''
  } catch (error) {
    return isUnconnected(error) ? explain(error) : text('cannotReach', { why: explain(error) })
  }
}

/** Renders the settings of this browser and of the account. */
export function Sources () {
  const [wrong, setWrong] = useState('')
  const [isAsking, setAsking] = useState(false)
  const add = async (event: Event) => {
    const { url, name, token } = typedIn(event)
    setAsking(true)
    setWrong(await tryToAdd(url!, name!, token!))
    setAsking(false)
  }
  return (
    <View title={text('settings')}>
      <h2>{text('account')}</h2>
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
      <section class='form card-form'>
        <h2>{text('playback')}</h2>
        <button type='button' class='button' onClick={openSound}>{text('sound')}</button>
      </section>
      <section class='form card-form'>
        <h2>{text('appearance')}</h2>
        <Choice
          label={text('theme')} value={theme.value}
          options={[['light dark', text('themeSystem')], ['dark', text('themeDark')], ['light', text('themeLight')]]}
          onChoose={value => setTheme(value as Theme)}
        />
        <LanguageSwitch />
        <button type='button' class='button' onClick={openKeys}>{text('keys')}</button>
      </section>
      {isOwn(source.value) && <OwnSource />}
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
        <button class='button primary' disabled={isAsking}>{text('add')}</button>
      </form>
    </View>
  )
}
