import type { AppPassword } from '../../own-answers.ts'
import { change } from '../state/account-lists.ts'
import { source } from '../state/sources.ts'
import { day, text } from '../texts/index.ts'
import { closeDialog, openDialog } from './dialog.tsx'
import { IconButton } from './small.tsx'

export interface TokenListProps {
  readonly items: readonly (AppPassword & { readonly isThis?: boolean })[]
  readonly revoke: (id: string) => Promise<{ readonly success: boolean }>
  /** Called when a token was revoked, or could not be. */
  readonly done: () => void
}

/** Tokens and app passwords with their last use. Each can be revoked, except the token of this browser. */
export function TokenList ({ items, revoke, done }: TokenListProps) {
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
              <IconButton
                icon='trash' label={text('revoke', { name })}
                onClick={() => askToRevoke(name, () => revoke(id), done)}
              />
              )}
        </li>
      ))}
    </ul>
  )
}

function askToRevoke (name: string, call: () => Promise<{ readonly success: boolean }>, done: () => void): void {
  const revoke = async () => {
    closeDialog()
    const asked = source.value
    await change(call, text('revoked', { name }))
    if (asked === source.value) done()
  }
  openDialog(text('revoke', { name }), () => (
    <div class='form'>
      <p>{text('revokeSure', { name })}</p>
      <span class='actions'>
        <button type='button' class='button' data-first onClick={closeDialog}>{text('cancel')}</button>
        <button type='button' class='button danger' onClick={() => { revoke() }}>{text('revokeNow')}</button>
      </span>
    </div>
  ))
}
