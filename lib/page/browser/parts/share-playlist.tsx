import { useState } from 'preact/hooks'
import type { Playlist } from '../../../client/index.ts'
import type { PlaylistShare, PlaylistSharing } from '../../../contract/source-extras.ts'
import { change } from '../state/account-lists.ts'
import { askOwn } from '../state/session.ts'
import { text } from '../texts/index.ts'
import { closeDialog, openDialog } from './dialog.tsx'
import { Choice } from './small.tsx'

/** Shows a dialog to share a playlist of the account. */
export async function sharePlaylist (playlist: Playlist): Promise<void> {
  const known = await askOwn('GET sharing', { id: playlist.id })
  openDialog(text('shareOf', { name: playlist.name }), () => <Form {...playlist} known={known} />)
}

function Form ({ id, known: { everyone: before = 'no', people: all = {} } }: Playlist & { known: PlaylistSharing }) {
  const [everyone, setEveryone] = useState(before)
  const [people, setPeople] = useState(all)
  const options = [['no', text('shareNo')], ['hear', text('shareHear')], ['edit', text('shareEdit')]] as const
  const chosen = () => Object.entries(people).map(([name, may]) => ({ name, may }))
  const save = (event: Event) => {
    event.preventDefault()
    closeDialog()
    change(() => askOwn('POST sharing', { id, everyone, people: chosen() }), text('saved'))
  }
  return (
    <form class='form' onSubmit={save}>
      <Choice
        label={text('everyone')} value={everyone} options={options} onChoose={may => setEveryone(may as PlaylistShare)}
      />
      {Object.keys(all).map(name => (
        <Choice
          key={name} label={name} value={people[name]!} options={options}
          onChoose={may => setPeople({ ...people, [name]: may as PlaylistShare })}
        />
      ))}
      <button class='button primary'>{text('save')}</button>
    </form>
  )
}
