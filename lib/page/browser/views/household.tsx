import { useState } from 'preact/hooks'
import type { OwnAnswers } from '../../page-responses.ts'
import { describeLimits, LimitFields, limitsIn } from '../parts/limit-fields.tsx'
import { Trouble, notBlank, Waiting } from '../parts/small.tsx'
import { change } from '../state/account-lists.ts'
import { hrefOf, route } from '../state/route.ts'
import { source } from '../state/saved-sources.ts'
import { askOwn } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { Person, showLink } from './person.tsx'
import { ServerState } from './server-state.tsx'
import { View } from './view.tsx'

/** Renders all accounts of the source beside the page, or one of them, for the account that manages them. */
export function Household () {
  const { id } = route.value
  const { data, error, again, retry } = useLoad('household', signal => askOwn('GET household', {}, signal), true)
  const [report, setReport] = useState('')
  if (id !== '') {
    const account = data?.accounts.find(({ name }) => name === id)
    return (
      <View title={id} actions={<a class='button' href={hrefOf('household')}>{text('household')}</a>}>
        {error !== '' && <Trouble message={error} again={retry} />}
        {data === undefined && error === '' && <Waiting />}
        {account !== undefined && (
          <Person key={id} account={account} genres={data!.genres} again={again} report={setReport} />
        )}
        {data !== undefined && account === undefined && <p>{text('gone')}</p>}
      </View>
    )
  }
  return (
    <View title={text('household')}>
      <p role='status'>{report}</p>
      {error !== '' && <Trouble message={error} again={retry} />}
      {data === undefined && error === '' && <Waiting />}
      {data !== undefined && <People {...data} again={again} />}
      <ServerState />
    </View>
  )
}

function People ({ accounts, genres, again }: OwnAnswers['GET household'] & { again: () => void }) {
  const add = async (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const name = String(new FormData(form).get('name'))
    const limits = limitsIn(form, [])
    const asked = source.value
    let made: OwnAnswers['POST household/add'] | undefined
    await change(async () => {
      made = await askOwn('POST household/add', { name, limits })
      return { success: true }
    }, text('created', { name }))
    if (asked !== source.value) return
    if (made !== undefined) {
      form.reset()
      showLink(made)
    }
    again()
  }
  return (
    <>
      <ul class='source-list'>
        {accounts.map(({ name, limits }) => (
          <li key={name}>
            <a href={hrefOf('household', name)}>
              <strong dir='auto'>{name}</strong>
              <small>{describeLimits(limits)}</small>
            </a>
          </li>
        ))}
      </ul>
      <form class='form card-form' onSubmit={event => { add(event) }}>
        <h2>{text('addPerson')}</h2>
        <p>{text('addPersonAbout')}</p>
        <label>
          {text('name')}
          <input name='name' required maxLength={255} autocomplete='off' {...notBlank()} />
        </label>
        <details>
          <summary>{text('limits')}</summary>
          <div class='form'><LimitFields limits={[]} genres={genres} /></div>
        </details>
        <button class='button primary'>{text('addPerson')}</button>
      </form>
    </>
  )
}
