import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { canFavor, type Kind } from '../state/library.ts'
import { playList, playMixed } from '../state/player.ts'
import type { More } from '../state/queue.ts'
import { text } from '../texts/index.ts'
import type { Card } from './cards.tsx'
import { Cover } from './cover.tsx'
import { Icon } from './icon.tsx'
import { Heart, IconButton } from './small.tsx'
import { openTracksMenu } from './track-menu.tsx'

interface DetailHeadProps {
  readonly kind: Kind
  readonly item: Card & { favorite?: boolean | undefined, description?: string | undefined }
  readonly facts: readonly ComponentChildren[]
  readonly tracks: readonly Track[]
  readonly cover?: string | undefined
  /** Whether the source may say where it is saved from. Default: true. */
  readonly isSaved?: boolean
  /** What a queue of the tracks goes on with. */
  readonly rest?: () => More
  readonly controls?: ComponentChildren
}

const isShown = (fact: ComponentChildren) => fact !== '' && fact !== undefined && fact !== false

/** Cover, name, facts, and what can be done with all of it. */
export function DetailHead (
  { kind, item, facts, tracks, cover = item.coverUrl, isSaved = true, rest, controls }: DetailHeadProps
) {
  const mixed = () => { playMixed(async () => tracks, rest?.()) }
  return (
    <div class='detail-head'>
      <Cover url={cover} name={item.name} size={210} round={kind === 'artist'} eager />
      <div>
        <p class='facts'>
          {facts.filter(isShown).map((fact, index) => <span key={index}>{fact}</span>)}
        </p>
        {item.description !== undefined && item.description !== '' && <Description value={String(item.description)} />}
        <div class='detail-actions'>
          {tracks.length > 0 && (
            <button type='button' class='button primary' onClick={() => playList(tracks, 0, rest?.())}>
              <Icon name='play' />
              {text('play')}
            </button>
          )}
          {tracks.length > 1 && (
            <button type='button' class='button' onClick={mixed}><Icon name='shuffle' />{text('shuffle')}</button>
          )}
          {canFavor(kind, item) && <Heart kind={kind} item={item} name={item.name} />}
          {tracks.length > 0 && (
            <IconButton
              icon='more' label={text('moreFor', { title: item.name })}
              onClick={() => openTracksMenu(item.name, async () => tracks, isSaved ? { kind, id: item.id } : undefined)}
            />
          )}
          {controls}
        </div>
      </div>
    </div>
  )
}

function Description ({ value }: { value: string }) {
  const [whole, setWhole] = useState(false)
  const isLong = value.length > 240
  return (
    <p class='description' dir='auto'>
      {whole || !isLong ? value.slice(0, 5000) : `${value.slice(0, 220)}… `}
      {isLong && (
        <button type='button' class='plain' aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {text(whole ? 'less' : 'moreText')}
        </button>
      )}
    </p>
  )
}
