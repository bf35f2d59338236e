import { askForName, showResult } from '../parts/ask-first.tsx'
import { ConnectionList } from '../parts/connection-list.tsx'
import { Trouble, typedIn } from '../parts/small.tsx'
import { say } from '../state/notices.ts'
import { asking, run } from '../state/run-household.ts'
import { askOwn } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'

/** Renders the connections and the data of one account. */
export function PersonData ({ name }: { name: string }) {
  const load = (signal: AbortSignal) => askOwn('GET household/account', { account: name }, signal)
  const { data, error, retry } = useLoad(`household ${name}`, load, true)
  if (data === undefined) return error === '' ? null : <Trouble message={error} again={retry} />
  const { playlists, sharesPlaying, connections } = data
  const save = async (operation: 'connect' | 'disconnect' | 'share', value: string, input?: string) => {
    if (await run(operation, [name, value], { input }) !== undefined) say(text('saved'))
  }
  const importFile = (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const file = new FormData(form).get('file') as File
    askForName({
      name,
      title: text('importTo', { name }),
      about: text('importSure', { name, file: file.name }),
      button: text('import'),
      async run () {
        const input = await asking(() => file.text())
        if (input === undefined) return
        const done = await run('import', [name], { input, confirm: name })
        if (done === undefined) return
        form.reset()
        showResult(text('importTo', { name }), done.message)
      }
    })
  }
  return (
    <>
      <section class='form card-form'>
        <h2>{text('connections')}</h2>
        <ConnectionList
          items={connections}
          connect={(service, input) => { save('connect', service, input) }}
          disconnect={service => { save('disconnect', service) }}
        />
        <p>{text(sharesPlaying ? 'playingShown' : 'playingHidden', { name })}</p>
        <button type='button' class='button' onClick={() => { save('share', sharesPlaying ? 'off' : 'on') }}>
          {text(sharesPlaying ? 'playingHide' : 'playingShow')}
        </button>
      </section>
      <section class='form card-form'>
        <h2>{text('accountData')}</h2>
        <button type='button' class='button' onClick={() => { run('export', [name]) }}>{text('export')}</button>
        {playlists.length > 0 && (
          <form class='inline-form' onSubmit={event => { run('export', [name, typedIn(event).playlist!]) }}>
            <select name='playlist' aria-label={text('playlist')}>
              {playlists.map(({ id, name }) => <option key={id} value={id} dir='auto'>{name}</option>)}
            </select>
            <button class='button'>{text('exportPlaylist')}</button>
          </form>
        )}
        <form class='form' onSubmit={importFile}>
          <label>
            {text('importFile')}
            <small>{text('importAbout')}</small>
            <input name='file' type='file' accept='.json,.m3u,.m3u8' required />
          </label>
          <button class='button'>{text('import')}</button>
        </form>
      </section>
    </>
  )
}
