import { signal } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import { can } from '../state/session.ts'

/** Tracks that are being dragged out of their list. */
export const dragged = signal<readonly Track[]>([])

/** On touch screens a long press opens a menu instead. */
const hasPointer = matchMedia('(hover: hover)').matches

/** Returns the properties of a row that can be dragged onto a playlist. */
export function draggable (tracks: () => readonly Track[]) {
  if (!hasPointer || !can('playlistMutation')) return {}
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      const { clientX, clientY, dataTransfer } = event
      // A handle moves its row within the list.
      if (document.elementFromPoint(clientX, clientY)?.closest('.handle')) return event.preventDefault()
      dragged.value = tracks()
      dataTransfer!.effectAllowed = 'copy'
      dataTransfer!.setData('text/plain', dragged.value.map(({ title }) => title).join('\n'))
    },
    onDragEnd: () => { dragged.value = [] }
  }
}
