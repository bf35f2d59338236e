/*! Contains uqr (MIT, Anthony Fu and Project Nayuki). */
import { useState } from 'preact/hooks'
import { encode } from 'uqr'
import { capabilities, operations, type AdapterMethod, type UserProfile } from '../../../client/index.ts'
import { writeAddLink } from '../../../text/write-add-link.ts'
import { Icon } from '../parts/icon.tsx'
import { Trouble, Waiting } from '../parts/small.tsx'
import { configuration, pageUrl } from '../state/configuration.ts'
import { source } from '../state/saved-sources.ts'
import { ask, can, hasAccount, status } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { View } from '../views/view.tsx'
import { Check } from './check.tsx'
import { openForm } from './open-form.ts'
import { OperationForm, type Described } from './operation-form.tsx'
import { RequestLog } from './request-log.tsx'
import '../texts/add-later-texts.ts'

const listed = (items: readonly { readonly key: string, readonly label: string }[]) =>
  items.map(({ key, label }) => `${label} (${key})`).join(', ') || '–'

/** Renders the view for developers: the source as clients see it. */
export function SourceTab () {
  const { url } = source.value
  const { data: user } = useLoad<Partial<UserProfile>>(
    'profile', async signal => can('userProfile') ? ask(client => client.getUserMe(), signal) : {}
  )
  const { version = '', qualityMap = [], playlistSortOptions = [] } = status.value ?? {}
  return (
    <View
      title={text('sourceTab')}
      actions={configuration.docs && <a class='button' href={new URL('docs/', pageUrl).href}>{text('apiReference')}</a>}
    >
      <section class='panel'>
        <h2>{text('context')}</h2>
        <dl class='context'>
          {([
            ['url', url], ['version', version],
            ['account', hasAccount() ? user?.nickname ?? text('stateful') : text('stateless')],
            ['qualities', listed(qualityMap)], ['sortOptions', listed(playlistSortOptions)]
          ] as const).map(([name, value]) => <div key={name}><dt>{text(name)}</dt><dd>{value}</dd></div>)}
        </dl>
      </section>
      <section class='panel'>
        <h2>{text('capabilities')}</h2>
        <ul class='grid'>
          {capabilities.map(({ name, methods, stateful }) => (
            <li key={name} class={can(name) ? 'has' : ''}>
              <strong>
                <Icon name={can(name) ? 'check' : 'close'} size={16} />
                {name}
                <span class='hidden'>{text(can(name) ? 'declared' : 'notDeclared')}</span>
              </strong>
              <small>
                {methods.map((method, index) => (
                  <span key={method}>
                    {index > 0 && ', '}
                    <button type='button' class='plain' onClick={() => openForm(method)}>{method}</button>
                  </span>
                ))}
                {stateful && ` · ${text('needsAccount')}`}
              </small>
            </li>
          ))}
        </ul>
      </section>
      <section class='panel'><h2>{text('check')}</h2><Check /></section>
      <section class='panel'><h2>{text('takeOver')}</h2><TakeOver /></section>
      <section class='panel'><h2>{text('operations')}</h2><Operations /></section>
      <section class='panel'><h2>{text('requests')}</h2><RequestLog /></section>
    </View>
  )
}

function Operations () {
  const { data, error, again } = useLoad<Readonly<Record<AdapterMethod, Described>>>('operations', async signal => {
    const response = await fetch(new URL('page/operations.json', pageUrl), { signal })
    if (!response.ok) throw new Error(`${response.status}`)
    return response.json()
  })
  const [typed, setTyped] = useState('')
  if (data === undefined) return error === '' ? <Waiting /> : <Trouble message={error} again={again} />
  const wanted = typed.trim().toLowerCase()
  return (
    <>
      <input
        id='operation-filter' type='search' aria-label={text('filter')} placeholder={text('filter')} value={typed}
        onInput={event => setTyped(event.currentTarget.value)}
      />
      {operations.map(operation => {
        const { adapterMethod, method, path } = operation
        const words = `${adapterMethod} ${method} ${path} ${data[adapterMethod]?.summary ?? ''}`.toLowerCase()
        if (!words.includes(wanted)) return null
        const described = data[operation.adapterMethod]
        return described !== undefined && (
          <OperationForm key={operation.adapterMethod} operation={operation} described={described} />
        )
      })}
    </>
  )
}

/**
 * Renders the link and QR code that add this source to an app. They contain the token, so they are shown on request.
 */
function TakeOver () {
  const [shown, setShown] = useState(false)
  const { url, token, name } = source.value
  const link = /&/.test(url + token + name) ? undefined : writeAddLink(url, token, name)
  if (link === undefined) return <p>{text('takeOverImpossible')}</p>
  if (!shown) {
    return (
      <>
        <p>{text('takeOverAbout')}</p>
        <button type='button' class='button' onClick={() => setShown(true)}>{text('show')}</button>
      </>
    )
  }
  return (
    <>
      <Picture link={link} />
      <p><a class='add-link' href={link}>{link}</a></p>
      <button type='button' class='button' onClick={() => setShown(false)}>{text('hide')}</button>
    </>
  )
}

/** Shows nothing if the link is too long for a QR code. */
function Picture ({ link }: { link: string }) {
  try {
    const { data, size } = encode(link, { border: 4 })
    const path = data.flatMap((row, y) => row.flatMap((on, x) => on ? [`M${x} ${y}h1v1h-1z`] : [])).join('')
    return <svg class='qr' viewBox={`0 0 ${size} ${size}`} role='img' aria-label={text('qr')}><path d={path} /></svg>
  } catch {
    return null
  }
}
