import { signal } from '@preact/signals'
import { isMadeBy } from '../../../contract/is-made-by.ts'
import type { Playlist, Track } from '../../../client/index.ts'
import type { OwnAnswers } from '../../page-responses.ts'
import { text } from '../texts/index.ts'
import { explain } from './explain.ts'
import { say } from './notices.ts'
import { fetchOwn, isOwn, type OwnInput } from './own.ts'
import { later } from './load-part.ts'
import { loadPlaylist } from './load-tracks.ts'
import { nameOf } from './queue.ts'
import { source } from './saved-sources.ts'
import { ask, askOwn, can, canShare, hasAccount } from './session.ts'
import { cardsOf } from './tidy.ts'

export type ItemKind = 'track' | 'artist' | 'album' | 'playlist'

/** The listener's changes since the lists were loaded, in any tab, by kind and id. */
const changed = signal<ReadonlyMap<string, boolean>>(new Map())
const set = (key: string, state: boolean) => { changed.value = new Map(changed.value).set(key, state) }
/** Messages to other tabs: account, kind and id, and the state at the source; for playlists the account only. */
const channel = new BroadcastChannel('source-page:library')
channel.onmessage = ({ data: [account, key, state] }) => {
  if (account !== nameOf('queue', source.value)) return
  if (key !== undefined) {
    if (!changing.has(key)) set(key, state)
  } else if (ownPlaylists.value !== undefined) loadOwnPlaylists().catch(() => {})
}
/** Pending changes by kind and id, each with the resulting state at the source. */
const changing = new Map<string, Promise<boolean>>()
/** Settles when pending additions to playlists are complete. Later additions wait for it to detect duplicates. */
let adding: Promise<boolean> | undefined
/** The playlists of the account; `undefined` = not loaded. */
export const ownPlaylists = signal<readonly Playlist[] | undefined>(undefined)
/** The playlists that the account can edit: its own, and others shared for editing. */
export const madePlaylists = signal<readonly Playlist[]>([])
/** The ids of editable playlists of other accounts. */
export const borrowed = signal<readonly string[]>([])

/** Clears the lists for another source or account. */
export function forgetAccountLists (): void {
  changing.clear()
  adding = undefined
  changed.value = new Map()
  ownPlaylists.value = undefined
  madePlaylists.value = []
}

/**
 * Returns whether a heart is shown: only for items with a favourite flag. In a combination some items may lack it.
 * Playlists never have the flag.
 */
export function canFavor (kind: ItemKind, item: { favorite?: boolean | undefined }): boolean {
  if (kind === 'playlist') return can('playlistFavorite')
  return typeof item.favorite === 'boolean' && (kind === 'track' ? can('trackFavorite') : hasAccount())
}

export const isFavorite = (kind: ItemKind, { id, favorite }: { id: string, favorite?: boolean | undefined }) =>
  changed.value.get(`${kind} ${id}`) ?? favorite ?? false

const methods = {
  track: 'favoriteTrack', artist: 'favoriteArtist', album: 'favoriteAlbum', playlist: 'favoritePlaylist'
} as const

/**
 * Changes a favourite. Each change of an item waits for the previous one, so that the source receives them in order.
 */
export function favor (kind: ItemKind, item: { id: string, favorite?: boolean | undefined }): void {
  const asked = source.value
  const key = `${kind} ${item.id}`
  const wanted = !isFavorite(kind, item)
  const before = changing.get(key) ?? Promise.resolve(!wanted)
  const turn = before.then(async state => {
    if (asked !== source.value) return state
    try {
      const answer = await ask(client => client[methods[kind]](item.id, wanted))
      state = answer.status
      if (!answer.success) say(text('refused'), true)
    } catch (error) {
      say(explain(error), true)
    }
    if (changing.get(key) === turn) {
      changing.delete(key)
      set(key, state)
      channel.postMessage([nameOf('queue', asked), key, state])
    }
    return state
  })
  changing.set(key, turn)
  set(key, wanted)
}

const none: OwnAnswers['GET sharing'] = {}

export async function loadOwnPlaylists (signal?: AbortSignal): Promise<readonly Playlist[]> {
  const asked = source.value
  const list = can('userPlaylists') ? cardsOf<Playlist>(await ask(client => client.getUserPlaylist(), signal)) : []
  const needsAccount = can('userProfile') && list.some(({ creator }) => creator?.id)
  const account = needsAccount ? await ask(client => client.getUserMe(), signal).catch(() => undefined) : undefined
  const { editable = [] } = canShare() ? await askOwn('GET sharing', {}, signal).catch(() => none) : none
  if (asked === source.value) {
    borrowed.value = editable.filter(id => list.some(list => list.id === id && !isMadeBy(account, list)))
    madePlaylists.value = list.filter(list => isMadeBy(account, list) || editable.includes(list.id))
    ownPlaylists.value = list
  }
  return list
}

/** Loads the playlists unless they are loaded. */
export const knowOwnPlaylists = async (signal: AbortSignal) => ownPlaylists.value ?? await loadOwnPlaylists(signal)

/**
 * Returns a function that edits or creates a playlist atomically, for the source beside the page. It completes even if
 * this tab is closed. `undefined` for other sources, which have the operations of `/v1` only.
 */
export function editAtOnce (asked = source.value) {
  if (!isOwn(asked)) return undefined
  return (edit: OwnInput<'POST playlist'>) => fetchOwn(asked, 'POST playlist', edit)
}

export const idsOf = (tracks: readonly Track[]) => tracks.map(({ id }) => id)

/** Creates a playlist of tracks. */
export const makePlaylist = (
  edit: NonNullable<ReturnType<typeof editAtOnce>>, name: string, load: () => Promise<readonly Track[]>
): Promise<boolean> => change(
  async () => edit({ name, add: idsOf(await load()) }), text('added', { name })
)

/**
 * Adds all tracks to a playlist, or none. Tracks that it contains are added again only if the listener asks for it.
 *
 * @returns `false` if the addition fails
 */
export function addTracks (
  playlist: Playlist, load: () => Promise<readonly Track[]>, isAgain = false
): Promise<boolean> {
  const before = adding
  const edit = editAtOnce()
  const { id, name } = playlist
  // A single client for all calls, since the listener may select another source meanwhile.
  adding = ask(async client => {
    const tracks = await load()
    await before
    const stored = idsOf((await loadPlaylist(id, client)).tracks)
    const there = new Set(isAgain ? [] : stored)
    const repeats = tracks.filter(track => there.has(track.id))
    const added = tracks.filter(track => !there.has(track.id))
    if (added.length > 0) {
      if (edit) await edit({ id, add: idsOf(added) })
      else {
        const { addOneByOne } = await later.load()
        if (!await addOneByOne(client, playlist, added, stored)) return false
      }
    }
    const run = () => { addTracks(playlist, async () => repeats, true) }
    const done = added.length === 0
      ? text('addedBefore', { name })
      : text('addedPartly', { count: added.length, all: tracks.length, name })
    if (repeats.length > 0) say(done, false, { label: text('addAgain'), run })
    else say(text('added', { name }))
    return true
  }).catch(error => {
    say(text('notAdded', { name, reason: explain(error) }), true)
    return false
  })
  return adding
}

/** Changes data of the account, and reports a failure. Returns whether the change succeeded. */
export async function change (
  call: Parameters<typeof ask<{ success?: boolean } | Playlist>>[0], done: string, undo?: () => void
): Promise<boolean> {
  const asked = source.value
  try {
    const answer = await ask(call)
    if ('success' in answer && answer.success === false) {
      say(text('refused'), true)
      return false
    }
    say(done, false, undo && { label: text('undo'), run: undo })
    channel.postMessage([nameOf('queue', asked)])
    return true
  } catch (error) {
    say(explain(error), true)
    return false
  }
}
