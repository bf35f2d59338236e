import { useLayoutEffect } from 'preact/hooks'
import type { Playlist, Track } from '../../../client/index.ts'
import { explain } from '../state/explain.ts'
import {
  addTracks, editAtOnce, loadOwnPlaylists, madePlaylists, makePlaylist, ownPlaylists
} from '../state/account-lists.ts'
import { say } from '../state/notices.ts'
import { source } from '../state/saved-sources.ts'
import { ask } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { closeDialog, focusInDialog, openDialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { notBlank, Trouble, typedIn, Waiting } from './small.tsx'

/** Shows a dialog to choose an existing or a new playlist, and adds tracks to it. */
export function choosePlaylist (tracks: () => Promise<readonly Track[]>, title = text('addToPlaylist')): void {
  openDialog(title, () => <ChoosePlaylist tracks={tracks} />)
}

function ChoosePlaylist ({ tracks }: { tracks: () => Promise<readonly Track[]> }) {
  const { error, again } = useLoad('own playlists', loadOwnPlaylists)
  const isThere = ownPlaylists.value !== undefined
  useLayoutEffect(() => { if (isThere) focusInDialog() }, [isThere])
  const add = (playlist: Playlist) => addTracks(playlist, tracks)
  const create = async (event: Event) => {
    const { name = '' } = typedIn(event)
    closeDialog()
    const edit = editAtOnce()
    if (edit === undefined) await createAndFill(name, add)
    else await makePlaylist(edit, name, tracks)
    // An open view does not reload the playlists automatically.
    await loadOwnPlaylists().catch(() => {})
  }
  if (!isThere && error !== '') return <Trouble message={error} again={again} />
  if (!isThere) return <Waiting />
  return (
    <>
      <form class='inline-form' onSubmit={event => { create(event) }}>
        <input
          name='name' aria-label={text('newPlaylist')} placeholder={text('newPlaylist')} required {...notBlank()}
        />
        <button class='button'>{text('create')}</button>
      </form>
      <ul class='menu'>
        {madePlaylists.value.map(playlist => (
          <li key={playlist.id}>
            <button type='button' onClick={() => { closeDialog(); add(playlist) }}>
              <Icon name='list' />
              <span dir='auto'>{playlist.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Creates a playlist and fills it. A playlist that cannot be filled is deleted. */
async function createAndFill (name: string, add: (playlist: Playlist) => Promise<boolean>): Promise<void> {
  const asked = source.value
  const made = await ask(client => client.createPlaylist(name)).catch(error => { say(explain(error), true) })
  if (made !== undefined && asked === source.value && !await add(made) && asked === source.value) {
    await ask(client => client.deletePlaylist(made.id)).catch(() => {})
  }
}
