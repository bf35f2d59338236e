import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { canFavor, type ItemKind } from '../state/account-lists.ts'
import type { CoverOf } from '../state/covers.ts'
import { mosaicOf } from '../state/load-tracks.ts'
import { playList, playMixed } from '../state/player.ts'
import type { More } from '../state/more.ts'
import { text } from '../texts/index.ts'
import { isDrawn, isGenre, type Card } from './cards.tsx'
import { Cover, Drawn, Mosaic } from './cover.tsx'
import { Icon } from './icon.tsx'
import { Heart, IconButton } from './small.tsx'
import { openTracksMenu } from './track-menu.tsx'

interface HeroProps {
  /** The kind of item in one word. */
  readonly kind: string
  readonly name: string
  readonly cover: string | undefined
  /** The item that the cover belongs to. */
  readonly of?: CoverOf | undefined
  readonly heading: ComponentChildren
  readonly facts: readonly ComponentChildren[]
  readonly round?: boolean
  /** A picture that replaces the cover. */
  readonly picture?: ComponentChildren
  readonly description?: string | undefined
  readonly children?: ComponentChildren
}

const isShown = (fact: ComponentChildren) => fact !== '' && fact !== undefined && fact !== false

/**
 * Renders the header of a view: its cover, a background of the cover's colours, and next to it kind, heading and facts.
 */
export function Hero (
  { kind, name, cover, of, heading, facts, round = false, picture, description = '', children }: HeroProps
) {
  return (
    <header class='hero'>
      <div class='hero-back' aria-hidden='true'><Cover url={cover} of={of} name={name} size={64} eager /></div>
      {picture ?? <Cover url={cover} of={of} name={name} size={240} round={round} eager />}
      <div class='hero-text'>
        <p class='kind'>{kind}</p>
        {heading}
        <p class='facts'>{facts.filter(isShown).map((fact, index) => [<span key={index}>{fact}</span>, ' '])}</p>
        {description !== '' && <Description value={String(description)} />}
        <div class='actions'>{children}</div>
      </div>
    </header>
  )
}

interface ListHeroProps extends Pick<HeroProps, 'heading' | 'facts'> {
  readonly kind: ItemKind | 'toplist'
  readonly item: Card & { favorite?: boolean | undefined, description?: string | undefined }
  readonly tracks: readonly Track[]
  /** All tracks, if `tracks` are filtered. */
  readonly whole?: readonly Track[]
  readonly cover?: string | undefined
  /** The continuation of a queue of these tracks. */
  readonly rest?: () => More
  /** Loads all tracks, if `tracks` contains only a part. */
  readonly all?: () => Promise<readonly Track[]>
  readonly controls?: ComponentChildren
}

/** Renders the hero of an item with tracks, with the actions for all of them. */
export function ListHero (
  { kind, item, heading, facts, tracks, whole = tracks, cover = item.coverUrl, rest, all, controls }: ListHeroProps
) {
  const covers = kind === 'playlist' ? mosaicOf(whole) : []
  return (
    <Hero
      {...(isDrawn(kind, item)
        ? { picture: <Drawn word={item.name} /> }
        : covers.length === 4 && { picture: <Mosaic tracks={covers} name={item.name} size={240} /> })}
      kind={text(isGenre(item) ? 'genre' : kind)} name={item.name} cover={cover}
      of={cover === item.coverUrl && kind !== 'toplist' ? { kind, id: item.id } : undefined}
      heading={heading} facts={facts} round={kind === 'artist'} description={item.description}
    >
      {tracks.length > 0 && (
        <button type='button' class='button primary' onClick={() => playList(tracks, 0, rest?.())}>
          <Icon name='play' />
          {text('play')}
        </button>
      )}
      {tracks.length > 1 && (
        <button type='button' class='button' onClick={() => { playMixed(all ?? (async () => tracks)) }}>
          <Icon name='shuffle' />
          {text('shuffle')}
        </button>
      )}
      {kind !== 'toplist' && canFavor(kind, item) && <Heart kind={kind} item={item} name={item.name} />}
      {tracks.length > 0 && (
        <IconButton
          icon='more' label={text('moreFor', { title: item.name })}
          onClick={() => openTracksMenu(
            item.name, all ?? (async () => tracks), kind === 'toplist' ? undefined : { kind, id: item.id }
          )}
        />
      )}
      {controls}
    </Hero>
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
