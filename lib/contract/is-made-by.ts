import type { Playlist, UserProfile } from '../../schemas/index.ts'

/**
 * Returns whether an account can change a playlist of `getUserPlaylist`: `false` only if the creator is known to be
 * another user.
 */
export function isMadeBy (account: UserProfile | undefined, { creator }: Pick<Playlist, 'creator'>): boolean {
  if (!account?.userId || !creator?.id) return true
  const names = [account.userId, account.nickname].filter(Boolean).map(fold)
  return [creator.id, creator.name].some(name => names.includes(fold(name)))
}

const fold = (text: unknown) => String(text).toLowerCase()
