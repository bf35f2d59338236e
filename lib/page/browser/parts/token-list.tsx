import type { AppPassword } from '../../page-responses.ts'
import { change } from '../state/account-lists.ts'
import { source } from '../state/saved-sources.ts'
import { day, text } from '../texts/index.ts'
import { askFirst } from './ask-first.tsx'
import { IconButton } from './small.tsx'

export interface TokenListProps {
  readonly items: readonly (AppPassword & { readonly isThis?: boolean })[]
  readonly revoke: (id: string) => Promise<{ readonly success: boolean }>
  /** Replaces a token. Default: the list has no such button. */
  readonly replace?: ((id: string, name: string) => void) | undefined
  /** Called after a token was revoked, or revoking failed. */
  readonly done: () => void
}

/** Tokens and app passwords with their last use. Each can be revoked, except the token of this browser. */
export function TokenList ({ items, revoke, replace, done }: TokenListProps) {
  return (
    <ul class='source-list'>
      {items.map(({ id, name = id, createdAt, usedAt, usedBy, isThis }) => (
        <li key={id}>
          <span>
            <strong dir='auto'>{name}</strong> <small>{day(createdAt)}</small>{' '}
            {usedAt !== undefined && (
              <small dir='auto'>{text('usedLast', { day: day(usedAt), by: usedBy!.split(' ', 1)[0]! })}</small>
            )}
          </span>
          {isThis
            ? <small>{text('thisBrowser')}</small>
            : (
              <span class='actions'>
                {replace !== undefined && (
                  <IconButton icon='swap' label={text('replace', { name })} onClick={() => replace(id, name)} />
                )}
                <IconButton
                  icon='trash' label={text('revoke', { name })}
                  onClick={() => askToRevoke(name, () => revoke(id), done)}
                />
              </span>
              )}
        </li>
      ))}
    </ul>
  )
}

function askToRevoke (name: string, call: () => Promise<{ readonly success: boolean }>, done: () => void): void {
  const run = async () => {
    const asked = source.value
    await change(call, text('revoked', { name }))
    if (asked === source.value) done()
  }
  askFirst({ title: text('revoke', { name }), about: text('revokeSure', { name }), button: text('revokeNow'), run })
}
