import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { applyEdit } from '../../../contract/apply-edit.ts'
import { Empty } from '../parts/small.tsx'
import { TrackList } from '../parts/track-list.tsx'
import type { TrackListProps } from '../parts/track-row.tsx'
import { change, editAtOnce, idsOf } from '../state/account-lists.ts'
import { later } from '../state/load-part.ts'
import { loadPlaylist } from '../state/load-tracks.ts'
import { playList } from '../state/player.ts'
import { text } from '../texts/index.ts'

/** Milliseconds between the last move of a track and saving the order. */
const movingPause = 400

/** Returns ids without the last copy of each removed id. */
function withoutLast (ids: readonly string[], removed: readonly string[]): readonly string[] {
  const left = [...ids]
  for (const id of removed) {
    const at = left.lastIndexOf(id)
    if (at !== -1) left.splice(at, 1)
  }
  return left
}

/** Renders the tracks of a playlist of the account: they can be removed and reordered. */
export function OwnTracks ({ id, tracks: stored, isOrdered, arrange, isUsual, columns, again }: {
  id: string
  tracks: readonly Track[]
  /** Whether these are all tracks in stored order. */
  isOrdered: boolean
  /** Returns the tracks to show, filtered and sorted. */
  arrange: (tracks: readonly Track[]) => readonly Track[]
  /** Whether all tracks are shown in their original order. */
  isUsual: boolean
  columns: TrackListProps['columns']
  again: () => void
}) {
  /** The unsaved order, based on the stored order. */
  const [moved, setMoved] = useState<{ of: readonly Track[], tracks: readonly Track[] } | undefined>(undefined)
  /** The number of orders that wait for the pause or for a response. */
  const unsaved = useRef(0)
  if (moved !== undefined && moved.of !== stored && unsaved.current > 0) {
    // Data loaded meanwhile has the previous order, and changes from elsewhere.
    const known = new Map(stored.map(track => [track.id, track]))
    const { tracks } = applyEdit(idsOf(stored), { tracks: idsOf(moved.tracks), base: idsOf(moved.of) })
    // Each row is an object of its own, since the selection knows rows by it.
    moved.tracks = tracks.map(id => ({ ...known.get(id)! }))
    moved.of = stored
  }
  const tracks = moved?.of === stored ? moved.tracks : stored
  /** The shown tracks independent of rendering, since rows may move faster. */
  const latest = useRef(tracks)
  latest.current = tracks
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const edit = isOrdered ? editAtOnce() : undefined

  const storing = useRef(Promise.resolve())
  /** Orders are sent sequentially, since the source may finish a later one first. */
  const store = (tracks: readonly string[], seen: readonly string[], undo?: () => void) => {
    const atOnce = editAtOnce()!
    storing.current = storing.current.then(async () => {
      await change(() => atOnce({ id, tracks, seen }), text('saved'), undo)
      again()
    })
    return storing.current
  }
  const save = useRef(async () => {})
  save.current = async () => {
    if (timer.current === undefined) return storing.current
    clearTimeout(timer.current)
    timer.current = undefined
    const [now, before] = [idsOf(latest.current), idsOf(stored)]
    await store(now, before, () => { store(before, now) })
    unsaved.current--
  }
  // A view that closes saves immediately.
  useEffect(() => () => { save.current() }, [])

  const move = (from: number, to: number) => {
    const track = latest.current[from]
    if (track === undefined || to < 0 || to >= stored.length) return false
    latest.current = latest.current.toSpliced(from, 1).toSpliced(to, 0, track)
    setMoved({ of: stored, tracks: latest.current })
    if (timer.current === undefined) unsaved.current++
    clearTimeout(timer.current)
    timer.current = setTimeout(() => { save.current() }, movingPause)
    return true
  }
  const remove = async (gone: readonly Track[]) => {
    const done = gone.length === 1
      ? text('removed', { name: gone[0]!.title })
      : text('removedMany', { count: gone.length })
    const before = latest.current
    const left = before.filter(track => !gone.includes(track))
    await save.current()
    const atOnce = editAtOnce()
    /** The ids before and after the change, in stored order. */
    let [all, others]: [readonly string[], readonly string[]] = [idsOf(before), idsOf(left)]
    const isDone = await change(async client => {
      // Rows that were loaded again meanwhile are removed by id, and rows of a list that is too long for one call.
      const isFound = left.length < before.length
      if (edit && isFound && before.length < 2e4) return edit({ id, tracks: others, seen: all })
      if (atOnce) {
        // Undo restores the stored order, whatever order is shown.
        all = idsOf((await loadPlaylist(id, client)).tracks)
        others = withoutLast(all, idsOf(gone))
        return atOnce({ id, remove: idsOf(gone) })
      }
      const { removeCopies } = await later.load()
      return { success: await removeCopies(client, id, idsOf(gone), isFound ? idsOf(left) : []) }
    }, done, atOnce && (() => { store(all, others) }))
    if (isDone || gone.length > 1) again()
  }
  const shown = useMemo(() => arrange(tracks), [arrange, tracks])
  if (shown.length === 0) return <Empty>{text('nothingHere')}</Empty>
  return (
    <TrackList
      tracks={shown} label={text('tracks')} play={index => playList(shown, index)} columns={columns}
      removal={{ label: 'removeFromPlaylist', run: tracks => { remove(tracks) } }}
      {...(edit && isUsual && { drag: move })}
    />
  )
}
