import { IconButton, Empty } from '../parts/small.tsx'
import { TrackList } from '../parts/track-list.tsx'
import { jumpTo, takeOut } from '../state/player.ts'
import { clear, entries, index, move } from '../state/queue.ts'
import { text } from '../texts/index.ts'
import { View } from './view.tsx'

export function Queue () {
  const tracks = entries.value.map(({ track }) => track)
  return (
    <View
      title={text('queue')}
      actions={tracks.length > 1 && <button type='button' class='button' onClick={clear}>{text('clearQueue')}</button>}
    >
      {tracks.length === 0
        ? <Empty>{text('queueEmpty')}</Empty>
        : (
          <TrackList
            tracks={tracks} label={text('queue')} play={jumpTo} currentIndex={index.value}
            controls={at => (
              <>
                <IconButton
                  icon='up' label={text('moveUp', { title: tracks[at]!.title })} disabled={at === 0}
                  onClick={() => move(at, at - 1)}
                />
                <IconButton
                  icon='down' label={text('moveDown', { title: tracks[at]!.title })} disabled={at === tracks.length - 1}
                  onClick={() => move(at, at + 1)}
                />
                <IconButton
                  icon='close' label={text('takeOut', { title: tracks[at]!.title })} onClick={() => takeOut(at)}
                />
              </>
            )}
          />
          )}
    </View>
  )
}
