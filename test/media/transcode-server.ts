import fastify from 'fastify'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import {
  createTranscoder, openFile, readTranscoding, type TranscodeInput, type TranscoderOptions, type Transcoding
} from 'fastify-source-origin/media'
import { logged } from '../helper.ts'
import { folder } from './sound.ts'

/** A server whose route transcodes files of a folder; `pipe` makes bytes of them that come one after the other. */
export async function serve (
  t: Test, options: Partial<TranscoderOptions> = {}, openInput?: Transcoding['open']
) {
  const log = logged()
  const app = fastify({ logger: log.logger, forceCloseConnections: true })
  const [files, cacheDir] = [folder(t), options.cacheDir ?? folder(t)]
  const transcoder = await createTranscoder({ cacheDir, log: app.log, ...options })
  app.addHook('onClose', () => transcoder.close())
  t.teardown(() => app.close())
  interface Route { Params: { file: string }, Querystring: Record<string, string> }
  app.get<Route>('/:file', async ({ params, query }, reply) =>
    transcoder.send(reply, {
      key: params.file + query.pipe,
      ...readTranscoding({ format: 'opus', ...query })!,
      account: query.account,
      open: openInput ?? (async (): Promise<TranscodeInput> => query.pipe
        ? createReadStream(join(files, params.file))
        : (await openFile(files, params.file))!)
    }))
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, base, files, cacheDir, transcoder, lines: log.lines }
}

export const warnings = (lines: readonly Record<string, any>[]) =>
  lines.filter(({ level }) => level === 40).map(({ msg, reason }) => [msg, reason])
