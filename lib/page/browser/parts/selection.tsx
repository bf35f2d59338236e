import { useEffect, useRef, useState } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { text } from '../texts/index.ts'
import { IconButton } from './small.tsx'
import { openTracksMenu, type Removal } from './track-menu.tsx'
import type { Selection } from './track-row.tsx'

const none: ReadonlySet<Track> = new Set()

/** Returns the selected tracks of a list. Tracks that leave the list are deselected. */
export function useSelection (tracks: readonly Track[], removal: Removal | undefined) {
  const [picked, setPicked] = useState(none)
  const last = useRef(0)
  const selected = picked.size === 0 ? [] : tracks.filter(track => picked.has(track))
  const clear = () => { if (picked.size > 0) setPicked(none) }
  // After a selection with the mouse no element has the focus.
  useEffect(() => {
    if (picked.size === 0) return
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.querySelector('dialog[open]') === null) setPicked(none)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [picked])
  const remove = removal && (() => {
    clear()
    removal.run(selected)
  })
  const selection: Selection = {
    has: track => picked.has(track),
    toggle: (index, isRange) => {
      const track = tracks[index]!
      const changed = new Set(picked)
      if (isRange) {
        const from = Math.min(last.current, index)
        for (const between of tracks.slice(from, Math.max(last.current, index) + 1)) changed.add(between)
      } else if (!changed.delete(track)) changed.add(track)
      last.current = index
      setPicked(changed)
    },
    clear,
    tracks: () => selected,
    openMenu: () => openTracksMenu(
      text('selectedCount', { count: selected.length }), async () => selected, undefined, remove, removal?.label
    )
  }
  return { selection, count: selected.length }
}

/** Shows the number of selected tracks, and a menu of actions for them. */
export function SelectionBar ({ selection, count }: { selection: Selection, count: number }) {
  return (
    <div class='selection' role='status'>
      {count > 0 && (
        <div class='notice'>
          <span>{text('selectedCount', { count })}</span>
          <button type='button' class='button primary' onClick={() => selection.openMenu()}>{text('actions')}</button>
          <IconButton icon='close' size={18} label={text('selectNone')} onClick={() => selection.clear()} />
        </div>
      )}
    </div>
  )
}
