import { askForName, showResult } from '../parts/ask-first.tsx'
import { typedIn } from '../parts/small.tsx'
import { run } from '../state/run-household.ts'
import { text } from '../texts/index.ts'

/** Creates backups of all accounts on the server, and restores one of them. */
export function Backups ({ names }: { names: readonly string[] }) {
  const make = async () => {
    const done = await run('backup')
    if (done !== undefined) showResult(text('backupMake'), done.message)
  }
  const restore = (event: Event) => {
    const { name = '' } = typedIn(event)
    askForName({
      name,
      title: text('restore'),
      about: text('restoreSure'),
      button: text('restore'),
      async run () {
        const done = await run('restore', [name], { confirm: name })
        if (done !== undefined) showResult(text('restore'), done.message)
      }
    })
  }
  return (
    <section class='form card-form'>
      <h2>{text('backups')}</h2>
      <p>{text('backupsAbout')}</p>
      <button type='button' class='button' onClick={() => { make() }}>{text('backupMake')}</button>
      {names.length > 0 && (
        <form class='inline-form' onSubmit={restore}>
          <select name='name' aria-label={text('backup')}>
            {names.map(name => <option key={name}>{name}</option>)}
          </select>
          <button class='button'>{text('restore')}</button>
        </form>
      )}
    </section>
  )
}
