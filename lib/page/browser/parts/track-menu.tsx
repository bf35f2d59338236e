import { useLayoutEffect, useState } from 'preact/hooks'
import type { Playlist, Track } from '../../../client/index.ts'
import { change, loadOwnPlaylists, ownPlaylists } from '../state/library.ts'
import { enqueue, playWhenThere } from '../state/player.ts'
import { go, hrefOf } from '../state/route.ts'
import { ask, can } from '../state/sources.ts'
import { tracksOf } from '../state/tidy.ts'
import { text } from '../texts/index.ts'
import { closeDialog, focusInDialog, openDialog } from './dialog.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Trouble, Waiting } from './small.tsx'
import { useLoad } from '../state/use-load.ts'

/** What can be done with a track besides playing it. */
export function openTrackMenu (track: Track, removeFromPlaylist?: () => void): void {
  openDialog(track.title, () => <TrackMenu track={track} {...(removeFromPlaylist && { removeFromPlaylist })} />)
}

function TrackMenu ({ track, removeFromPlaylist }: { track: Track, removeFromPlaylist?: () => void }) {
  const [artist] = track.artists
  const does = (action: () => void) => () => {
    closeDialog()
    action()
  }
  const actions: readonly (readonly [boolean, IconName, string, () => void])[] = [
    [true, 'next', text('playNext'), does(() => enqueue(track, true))],
    [true, 'queue', text('addToQueue'), does(() => enqueue(track, false))],
    [
      can('playlistMutation'), 'plus', text('addToPlaylist'),
      () => openDialog(text('addToPlaylist'), () => <ChoosePlaylist track={track} />)
    ],
    [removeFromPlaylist !== undefined, 'trash', text('removeFromPlaylist'), does(() => removeFromPlaylist?.())],
    [can('similarTracks'), 'spark', text('playSimilar'), does(() => { playSimilar(track) })],
    [
      can('albumDetail') && track.album.id !== '', 'album', text('goToAlbum'),
      does(() => go(hrefOf('album', track.album.id)))
    ],
    [
      can('artistDetail') && artist !== undefined, 'person', text('goToArtist'),
      does(() => go(hrefOf('artist', artist!.id)))
    ]
  ]
  return (
    <ul class='menu'>
      {actions.filter(([offered]) => offered).map(([, icon, label, action]) => (
        <li key={label}><button type='button' onClick={action}><Icon name={icon} />{label}</button></li>
      ))}
    </ul>
  )
}

const playSimilar = (track: Track) =>
  playWhenThere(async () => tracksOf(await ask(client => client.getSimilarTracks(track.id))), 'nothingSimilar')

function ChoosePlaylist ({ track }: { track: Track }) {
  const { error, again } = useLoad(
    'own playlists', signal => ownPlaylists.value === undefined ? loadOwnPlaylists(signal) : Promise.resolve([])
  )
  const [name, setName] = useState('')
  const isThere = ownPlaylists.value !== undefined
  useLayoutEffect(() => { if (isThere) focusInDialog() }, [isThere])
  const add = (playlist: Playlist) => change(
    client => client.addTrackToPlaylist(playlist.id, track.id), text('added', { name: playlist.name })
  )
  const create = async (event: Event) => {
    event.preventDefault()
    closeDialog()
    let made: Playlist | undefined
    if (
      await change(async client => (made = await client.createPlaylist(name)), text('created', { name }))
    ) await add(made!)
    // An open view does not ask for them again by itself.
    await loadOwnPlaylists().catch(() => {})
  }
  if (error !== '') return <Trouble message={error} again={again} />
  if (!isThere) return <Waiting />
  return (
    <>
      <form class='inline-form' onSubmit={event => { create(event) }}>
        <input
          aria-label={text('newPlaylist')} placeholder={text('newPlaylist')} required value={name}
          onInput={event => setName(event.currentTarget.value)}
        />
        <button class='button'>{text('create')}</button>
      </form>
      <ul class='menu'>
        {ownPlaylists.value!.map(playlist => (
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
