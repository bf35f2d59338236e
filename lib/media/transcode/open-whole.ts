import { hopeless } from '../ask-upstream.ts'
import { MediaTransfer, type Locate } from '../media-transfer.ts'
import { chooseType } from '../media-types.ts'
import { openMedia } from '../open-media.ts'
import type { ReadyKind } from '../send-media.ts'

/**
 * Reads all bytes of media from another server.
 *
 * @param extension determines the type if the upstream sends none
 * @throws SourceError if the content is not media of the kind; errors of `locate`; the reason of the signal
 */
export async function openWhole (
  { upstream, types, chunk }: Pick<ReadyKind, 'upstream' | 'types' | 'chunk'>, extension: string, locate: Locate,
  signal: AbortSignal
): Promise<AsyncGenerator<Buffer>> {
  const transfer = new MediaTransfer(upstream, signal, locate, {})
  const { type, body, discard } = await openMedia(transfer, { head: false, range: undefined, conditions: {} }, chunk)
  if (body !== undefined && chooseType(type, transfer.location?.type, extension, types) !== undefined) return body
  discard?.()
  throw hopeless('The file to transcode is not media')
}
