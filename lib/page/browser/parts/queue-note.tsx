import { playerNote } from '../state/player-note.ts'
import { playerSlot } from '../state/player-slot.ts'

playerSlot.value = <QueueNote />

/** Renders the line about the queue of another device. */
function QueueNote () {
  if (playerNote.value === undefined) return null
  const { text, label, run: handleClick } = playerNote.value
  return (
    <div class='player-note' role='status'>
      <span>{text}</span>
      <button type='button' class='button' onClick={handleClick}>{label}</button>
    </div>
  )
}
