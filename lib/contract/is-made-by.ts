import type { Playlist, UserProfile } from '../../schemas/index.ts'

/** Whether an account can change a playlist of `getUserPlaylist`: unless its creator is known to be somebody else. */
export function isMadeBy (account: UserProfile | undefined, { creator }: Pick<Playlist, 'creator'>): boolean {
  if (!account?.userId || !creator?.id) return true
  const names = [account.userId, account.nickname].filter(Boolean).map(fold)
  return [creator.id, creator.name].some(name => names.includes(fold(name)))
}

const fold = (text: unknown) => String(text).toLowerCase()
