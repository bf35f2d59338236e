import type { FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { isResponseClosed, onResponseClose } from '../../async/on-response-close.ts'
import { SourceError } from '../../contract/errors.ts'
import { asError } from '../../errors/as-error.ts'
import { validateMembers } from '../../options/validate-members.ts'
import { transcoderChannel, type ChannelMessages, type TranscoderState } from '../../tracing/channels.ts'
import { FileCache } from '../file-cache.ts'
import { readRange } from '../ranges.ts'
import { sendFile, statusOf } from '../send-file.ts'
import { bitrateOf, bytesPerSecond, findFormats, typeOfTranscoding } from './ffmpeg.ts'
import { idleAfter, Listener } from './listener.ts'
import { Run } from './run.ts'
import { Scheduler } from './scheduler.ts'
import { transcode } from './transcode.ts'
import { transcoderRules, type Transcoder, type TranscoderOptions, type Transcoding } from './transcoder-options.ts'

/** The maximum numbers of held, per-account and waiting runs. */
export const bounds = { held: 4, ofAccount: 4, waiting: 64 }

/** The version of the output. Increase it when the same input is encoded differently. */
const form = 3

const names = /^[\da-f]{64}\.[\da-z]+$/

/**
 * Creates a transcoder that runs ffmpeg and detects the formats that it can write. Without ffmpeg `formats` is empty,
 * and one line is logged.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 * @see docs/reference/media.md
 */
export async function createTranscoder (options: TranscoderOptions): Promise<Transcoder> {
  validateMembers(options, transcoderRules)
  const {
    cacheDir, cacheSize = 2 ** 30, concurrency = Math.max(1, availableParallelism() >> 1), ffmpeg = 'ffmpeg', log,
    prepare = async folder => { await mkdir(folder, { recursive: true, mode: 0o700 }) }
  } = options
  const { formats, version } = await findFormats(ffmpeg, log, options.ffmpeg !== undefined)
  const profiles = Object.fromEntries(
    Object.entries(options.profiles ?? {}).filter(([, { format }]) => formats.includes(format)))
  const files = new FileCache(cacheDir, { maxSize: cacheSize, names, prepare })
  const scheduler = new Scheduler({ running: concurrency, ...bounds })
  const runs = new Map<string, Run>()
  /** All active runs. `runs` does not contain runs without a file. */
  const all = new Set<Run>()
  const listeners = new Set<Listener>()
  const publish = (message: ChannelMessages['transcoder']) => transcoderChannel.publish(message)
  let isStoring = true
  // An unusable folder is reported at the start, which does not wait for the check.
  if (formats.length > 0) prepare(cacheDir).catch(onUnstored)

  function onUnstored (error: unknown): void {
    if (isStoring) log.warn({ reason: asError(error).message }, 'transcodings not stored')
    isStoring = false
  }

  function begin (name: string, transcoding: Transcoding): Run {
    const { profile, startSeconds = 0, account } = transcoding
    const { format } = profile
    let from: TranscoderState | undefined
    const run = new Run({
      files,
      name: startSeconds === 0 ? name : undefined,
      account,
      bytesPerSecond: bytesPerSecond(profile),
      makeRoom,
      onUnstored,
      onState (to) {
        if (from !== to) publish({ type: 'run', from, to, format })
        from = to
      }
    }, (run, signal) => transcode({ ffmpeg, files, scheduler, log }, run, transcoding, signal))
    runs.set(name, run)
    all.add(run)
    run.ended.then(() => {
      all.delete(run)
      if (runs.get(name) === run) runs.delete(name)
    })
    return run
  }

  /** Ends a run without listeners, else the client that has been idle for longest. @returns whether one was ended */
  async function makeRoom (run: Run): Promise<boolean> {
    if (!run.hasListeners) return false
    const unheard = [...all].find(other => !other.hasListeners)
    if (unheard !== undefined) {
      unheard.abort(new SourceError(503, 'No disk space is left'))
      await unheard.ended
      return true
    }
    const others = [...listeners].filter(listener => !run.isHeardBy(listener) && listener.idle >= idleAfter.ms)
    const [idle] = others.sort((a, b) => b.idle - a.idle)
    await idle?.close()
    return idle !== undefined
  }

  async function send (reply: FastifyReply, asked: Transcoding): Promise<FastifyReply> {
    const { raw, request: { method, headers } } = reply
    // Players send arbitrary fractions when they seek. Each fraction would start another run.
    const transcoding = { ...asked, startSeconds: Math.floor(asked.startSeconds ?? 0) }
    const { key, profile, startSeconds } = transcoding
    if (!formats.includes(profile.format)) throw new SourceError(501, `Nothing is converted to ${profile.format} here`)
    const made = [form, key, profile.format, bitrateOf(profile), startSeconds, version]
    const digest = createHash('sha256').update(JSON.stringify(made)).digest('hex')
    const name = `${digest}.${profile.format}`
    const etag = `"${digest.slice(0, 32)}"`
    reply.type(typeOfTranscoding(profile.format))
    const isWhole = transcoding.isWhole ?? isPart(headers, etag)
    const listener = listen(raw, isWhole)
    const onBytes = (bytes: number) => {
      listener.take(bytes)
      transcoding.onBytes?.(bytes)
    }
    const kept = startSeconds === 0 && await openKept(raw, name)
    if (kept) {
      publish({ type: 'hit', format: profile.format })
      return sendFile(reply, { ...kept, etag }, onBytes)
    }
    if (isResponseClosed(raw)) return reply.hijack()
    reply.header('etag', etag)
    const status = statusOf(headers, etag)
    if (status !== undefined) return reply.code(status).send()
    const known = runs.get(name)
    if (known?.isComplete) publish({ type: 'hit', format: profile.format })
    // An empty stream, since Fastify's automatic HEAD routes set the length of an empty response to 0.
    const sendNothing = () => reply.send(Readable.from([], { objectMode: false }))
    // A HEAD request starts a run only if it needs the length.
    if (method === 'HEAD' && !known?.isComplete && !transcoding.isWhole) return sendNothing()
    const run = known?.isStored ? known : begin(name, transcoding)
    run.join(listener)
    onResponseClose(raw, () => run.leave(listener))
    try {
      await run.until(isWhole)
    } catch (error) {
      if (isResponseClosed(raw)) return reply.hijack()
      throw error
    }
    if (run.isComplete) return sendFile(reply, { ...run.file, etag }, onBytes)
    return method === 'HEAD'
      ? sendNothing()
      : reply.send(Readable.from(run.read(listener, transcoding.onBytes), { objectMode: false }))
  }

  function listen (raw: ServerResponse, waits: boolean): Listener {
    const listener = new Listener(async () => {
      const closed = new Promise<void>(resolve => onResponseClose(raw, resolve))
      raw.destroy()
      await closed
    }, waits)
    listeners.add(listener)
    onResponseClose(raw, () => listeners.delete(listener))
    return listener
  }

  async function openKept (raw: ServerResponse, name: string) {
    try {
      const kept = await files.find(name)
      if (kept === undefined) return undefined
      onResponseClose(raw, files.use(name))
      const handle = await open(kept.path).catch(() => files.remove(name))
      return handle && { handle, stats: { size: kept.size } }
    } catch {
      // The stored file cannot be read, so it is transcoded again.
      return undefined
    }
  }

  return {
    formats,
    profiles,
    send,
    async close () {
      for (const run of all) run.abort(new SourceError(503, 'The server closes'))
      await Promise.all([...all].map(({ ended }) => ended))
      await files.close()
    }
  }
}

/** Returns whether a part is requested. Players first request all bytes as a range, which is not a part. */
function isPart ({ range: header, 'if-range': ifRange = '' }: IncomingHttpHeaders, etag: string): boolean {
  const range = readRange(header)
  const isAll = range === undefined || ('start' in range && range.start === 0 && range.end === undefined)
  return !isAll && ['', etag].includes(String(ifRange))
}
