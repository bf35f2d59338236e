import { lettersOn } from '../state/letter-keys.ts'
import { text, type TextName } from '../texts/index.ts'
import { openDialog } from './dialog.tsx'

const keys: readonly (readonly [readonly string[], TextName])[] = [
  [['Space'], 'keyPlay'], [['←', '→'], 'keySeek'], [['N'], 'next'], [['P'], 'previous'],
  [['+', '-'], 'volume'], [['M'], 'mute'],
  [['F'], 'keyFavorite'], [['Q'], 'queue'], [['T'], 'keyPlayer'], [['/'], 'search'], [['↑', '↓'], 'keyWalk'],
  [['Shift ↑', 'Shift ↓'], 'keySelect'], [['Alt ↑', 'Alt ↓'], 'keyMove'], [['?'], 'keys']
]

export const openKeys = () => openDialog(text('keys'), () => <Keys />)

function Keys () {
  return (
    <>
      <label class='check'>
        <input
          type='checkbox' checked={lettersOn.value}
          onChange={event => { lettersOn.value = event.currentTarget.checked }}
        />
        {text('keysOn')}
      </label>
      <dl class='keys'>
        {keys.map(([names, meaning]) => (
          <div key={meaning}>
            <dt>{names.map(name => <kbd key={name}>{name}</kbd>)}</dt>
            <dd>{text(meaning)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
