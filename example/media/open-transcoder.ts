import type { FastifyInstance } from 'fastify'
import { createTranscoder, type Transcoder } from 'fastify-source-origin/media'
import { join } from 'node:path'
import { profiles } from '../catalogue/qualities.ts'
import type { Settings } from '../start/settings.ts'
import { prepareFolder } from './cover-cache.ts'

/**
 * Opens the transcoder. Its folder may be deleted at any time.
 *
 * @returns `undefined` if transcoding is disabled
 */
export async function openTranscoder (
  app: FastifyInstance, { TRANSCODING, TRANSCODED_DIR, TRANSCODED_SIZE, DATA_DIR }: Settings
): Promise<Transcoder | undefined> {
  if (TRANSCODING === 'false') return undefined
  const transcoder = await createTranscoder({
    cacheDir: TRANSCODED_DIR || join(DATA_DIR, 'transcoded'),
    cacheSize: TRANSCODED_SIZE * 2 ** 20,
    // A missing ffmpeg is an error if it was required.
    ...TRANSCODING === 'true' && { ffmpeg: 'ffmpeg' },
    profiles,
    prepare: prepareFolder,
    log: app.log
  })
  app.addHook('onClose', () => transcoder.close())
  return transcoder.formats.length > 0 ? transcoder : undefined
}
