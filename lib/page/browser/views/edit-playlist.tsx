import { useState } from 'preact/hooks'
import type { Playlist, PlaylistDetail } from '../../../client/index.ts'
import { closeDialog, openDialog } from '../parts/dialog.tsx'
import { notBlank } from '../parts/small.tsx'
import { change, editAtOnce, idsOf, loadOwnPlaylists } from '../state/account-lists.ts'
import { go, hrefOf, route } from '../state/route.ts'
import { source } from '../state/saved-sources.ts'
import { text } from '../texts/index.ts'

interface FormProps {
  readonly playlist: Playlist | undefined
  readonly done: () => void
  /** The initial values of the fields. */
  readonly typed?: { readonly name: string, readonly description?: string | undefined }
}

/** Shows a form for a name and a description. Without a playlist a new one is created. */
export function editPlaylist (playlist: Playlist | undefined, done: () => void, typed?: FormProps['typed']): void {
  openDialog(
    text(playlist === undefined ? 'newPlaylist' : 'edit'),
    () => <Form playlist={playlist} done={done} {...(typed && { typed })} />
  )
}

function Form ({ playlist, done, typed = playlist ?? { name: '' } }: FormProps) {
  const [name, setName] = useState(typed.name)
  const [description, setDescription] = useState(typed.description ?? '')
  const save = async (event: Event) => {
    event.preventDefault()
    const { entry } = route.value
    const asked = source.value
    const edit = editAtOnce()
    closeDialog()
    const isDone = playlist === undefined
      ? await change(client => client.createPlaylist(name), text('created', { name }))
      : await change(client => edit === undefined
        ? client.updatePlaylist(playlist.id, name, description)
        // Only changed fields, since the other may have been changed elsewhere.
        : edit({
          id: playlist.id,
          ...name !== playlist.name && { name },
          ...description !== (playlist.description ?? '') && { description }
        }), text('saved'))
    if (!isDone) {
      if (entry === route.value.entry && asked === source.value) editPlaylist(playlist, done, { name, description })
      return
    }
    await loadOwnPlaylists().catch(() => {})
    done()
  }
  return (
    <form class='form' onSubmit={event => { save(event) }}>
      <label>
        {text('name')}
        <input required {...notBlank()} value={name} onInput={event => setName(event.currentTarget.value)} />
      </label>
      {playlist !== undefined && (
        <label>
          {text('description')}
          <textarea rows={3} value={description} onInput={event => setDescription(event.currentTarget.value)} />
        </label>
      )}
      <button class='button primary'>{text('save')}</button>
    </form>
  )
}

/**
 * Shows a confirmation dialog and deletes a playlist.
 *
 * @param isWhole whether all of its tracks are known, so that Undo can create it again
 */
export function deletePlaylist (playlist: PlaylistDetail, isWhole: boolean): void {
  const edit = isWhole ? editAtOnce() : undefined
  const { name, description, tracks } = playlist
  const undo = edit && (async () => {
    await change(() => edit({ name, description, add: idsOf(tracks) }), text('isBack', { name }))
    await loadOwnPlaylists().catch(() => {})
  })
  const remove = async () => {
    closeDialog()
    const run = undo && (() => { undo() })
    if (!await change(client => client.deletePlaylist(playlist.id), text('deleted', { name }), run)) return
    await loadOwnPlaylists().catch(() => {})
    // The listener may have navigated elsewhere meanwhile.
    if (route.value.view === 'playlist' && route.value.id === playlist.id) go(hrefOf('library', 'playlists'), true)
  }
  openDialog(text('delete'), () => (
    <div class='form'>
      <p>{text(edit === undefined ? 'deleteForGood' : 'deleteSure', { name })}</p>
      <span class='actions'>
        <button type='button' class='button' data-first onClick={closeDialog}>{text('cancel')}</button>
        <button type='button' class='button danger' onClick={() => { remove() }}>{text('delete')}</button>
      </span>
    </div>
  ))
}
