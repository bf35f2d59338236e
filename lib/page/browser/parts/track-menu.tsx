import { useEffect, useState } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { canDownload, download, mayDownload, type Downloaded } from '../state/download.ts'
import { loadSimilar } from '../state/more.ts'
import { enqueueWhenThere, playMixed, playWhenThere } from '../state/player.ts'
import { go, hrefOf } from '../state/route.ts'
import { can, canRate } from '../state/session.ts'
import { text, type TextName } from '../texts/index.ts'
import { choosePlaylist } from './choose-playlist.tsx'
import { closeDialog, openMenu } from './dialog.tsx'
import { Icon, type IconName } from './icon.tsx'
import { withLater } from './with-later.ts'

/** `offered` as a function: the item is disabled until the promise settles, and removed if the result is `false`. */
type Action = readonly [offered: boolean | (() => Promise<boolean>), icon: IconName, label: string, run: () => void]

/** The action that removes tracks from their list. */
export interface Removal {
  readonly label: TextName
  readonly run: (tracks: readonly Track[]) => void
}

const does = (action: () => void) => () => {
  closeDialog()
  action()
}

/** Returns the actions for tracks of any list. */
function actionsOf (
  tracks: () => Promise<readonly Track[]>, saved: Downloaded | undefined, removal: (() => void) | undefined,
  label: TextName
) {
  return [
    [true, 'next', text('playNext'), does(() => { enqueueWhenThere(tracks, true) })],
    [true, 'queue', text('addToQueue'), does(() => { enqueueWhenThere(tracks, false) })],
    [can('playlistMutation'), 'plus', text('addToPlaylist'), () => choosePlaylist(tracks)],
    [
      saved !== undefined && canDownload() && (() => mayDownload(saved)), 'download', text('download'),
      does(() => { download(saved!) })
    ],
    [removal !== undefined, 'trash', text(label), does(() => removal?.())]
  ] as const satisfies readonly Action[]
}

const removeOf = (removal: Removal | undefined, tracks: readonly Track[]) => removal && (() => removal.run(tracks))

function Menu ({ actions }: { actions: readonly Action[] }) {
  return (
    <ul class='menu'>
      {actions.map(action => <Item key={action[2]} action={action} />)}
    </ul>
  )
}

function Item ({ action: [offered, icon, label, run] }: { action: Action }) {
  const [isOffered, setOffered] = useState(typeof offered === 'function' ? undefined : offered)
  useEffect(() => { if (typeof offered === 'function') offered().then(setOffered) }, [])
  if (isOffered === false) return null
  return (
    <li>
      <button type='button' disabled={isOffered === undefined} onClick={run}><Icon name={icon} />{label}</button>
    </li>
  )
}

/** Opens a menu with the actions for a track other than playing it. */
export function openTrackMenu (track: Track, removal?: Removal): void {
  const [artist] = track.artists
  const actions: readonly Action[] = [
    ...actionsOf(
      async () => [track], { kind: 'track', id: track.id }, removeOf(removal, [track]), removal?.label ?? 'delete'
    ),
    [can('similarTracks'), 'spark', text('playSimilar'), does(() => { playSimilar(track) })],
    [
      can('albumDetail') && track.album.id !== '', 'album', text('goToAlbum'),
      does(() => go(hrefOf('album', track.album.id)))
    ],
    [
      can('artistDetail') && artist !== undefined, 'person', text('goToArtist'),
      does(() => go(hrefOf('artist', artist!.id)))
    ],
    [canRate(), 'star', text('rate'), () => withLater(({ openStars }) => openStars(track))],
    [true, 'lyrics', text('aboutTrack'), () => withLater(({ openAbout }) => openAbout(track))]
  ]
  openMenu(track.title, () => <Menu actions={actions} />)
}

/**
 * Opens a menu with the actions for several tracks, or for an album, an artist or a playlist, which can be downloaded.
 */
export function openTracksMenu (
  title: string, tracks: () => Promise<readonly Track[]>, saved?: Downloaded, remove?: () => void,
  label: TextName = 'delete'
): void {
  const actions: readonly Action[] = [
    [true, 'play', text('play'), does(() => { playWhenThere(tracks, 'nothingHere') })],
    [true, 'shuffle', text('shuffle'), does(() => { playMixed(tracks) })],
    ...actionsOf(tracks, saved, remove, label)
  ]
  openMenu(title, () => <Menu actions={actions} />)
}

const playSimilar = (track: Track) =>
  playWhenThere(() => loadSimilar(track.id), 'nothingSimilar')
