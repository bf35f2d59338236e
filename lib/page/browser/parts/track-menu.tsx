import type { Track } from '../../../client/index.ts'
import { enqueue, playWhenThere } from '../state/player.ts'
import { go, hrefOf } from '../state/route.ts'
import { ask, can } from '../state/sources.ts'
import { tracksOf } from '../state/tidy.ts'
import { text } from '../texts/index.ts'
import { choosePlaylist } from './choose-playlist.tsx'
import { closeDialog, openDialog } from './dialog.tsx'
import { Icon, type IconName } from './icon.tsx'

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
      () => choosePlaylist(async () => [track])
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
