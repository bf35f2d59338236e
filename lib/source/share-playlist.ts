import { UnsupportedFeatureError } from '../contract/errors.ts'
import type { PlaylistSharing } from '../contract/source-extras.ts'
import type { SourceCalls } from './source-calls.ts'

/**
 * Shares one of the account's playlists.
 *
 * @throws SourceError if the source does not support or rejects the change
 */
export async function sharePlaylist (source: SourceCalls, id: string, sharing: PlaylistSharing): Promise<void> {
  if (!source.has('sharePlaylist')) throw new UnsupportedFeatureError()
  await source.changeAtOnce('sharePlaylist', [id, sharing], () => [{ operation: 'updatePlaylist', args: [id], id }])
}
