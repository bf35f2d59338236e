import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { limitConcurrency } from '../../async/limit-concurrency.ts'
import { isResponseClosed, onResponseClose } from '../../async/on-response-close.ts'
import { SourceError, UpstreamError } from '../../contract/errors.ts'
import { isObject } from '../../options/is-object.ts'
import { aFunction, anObject, aText, wholeNumber } from '../../options/member-rules.ts'
import { validateMembers, type MemberRule } from '../../options/validate-members.ts'
import { audioTypeOf } from '../../text/media-type-of.ts'
import { channels, transcoderChannel, type ChannelMessages } from '../../tracing/channels.ts'
import { trace } from '../../tracing/trace.ts'
import { KeptFiles } from '../kept-files.ts'
import { readRange, type ByteRange } from '../ranges.ts'
import { sendFile } from '../send-file.ts'
import {
  argumentsOf, bitrateOf, findFormats, isTranscodeFormat, type TranscodeFormat, type TranscodeProfile
} from './ffmpeg.ts'
import { Run } from './run.ts'
import { seekableInput } from './seekable-input.ts'
import { runFfmpeg, type TranscodeInput } from './run-ffmpeg.ts'

export interface TranscoderOptions {
  /** A folder of its own, where finished transcodings are kept. It is made where it is missing. */
  cacheDir: string
  /** Bytes that are kept, at most; what was not used for longest goes first. Default: 1 GiB. */
  cacheSize?: number | undefined
  /** Runs at a time; the others wait. Default: half of the processors, at least one. */
  concurrency?: number | undefined
  /** The command. Default: `ffmpeg`. */
  ffmpeg?: string | undefined
  /** What tracks can be had as, by name. Those that this ffmpeg cannot write are left out. Default: none. */
  profiles?: Readonly<Record<string, TranscodeProfile>> | undefined
  /** Makes `cacheDir`, and throws where nothing is to be written to it, such as on a disk that is nearly full. */
  prepare?: ((folder: string) => Promise<void>) | undefined
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** What is sent in an answer. */
export interface Transcoding {
  /** Names the audio and its version, such as id, size and time of change: equal ones are made once. */
  key: string
  profile: TranscodeProfile
  /** Seconds to leave out at the beginning; such a part is not kept. Default: 0. */
  start?: number | undefined
  /** Whether to wait for the end, so that the length is known. Default: only where the request has a range. */
  isWhole?: boolean | undefined
  /** Opens the audio when its turn has come. An open file is closed at the end of the run. */
  open: (signal: AbortSignal) => TranscodeInput | Promise<TranscodeInput>
  /** Is told how many bytes are sent, for each 64 KiB. */
  onBytes?: ((bytes: number) => void) | undefined
}

export interface Transcoder {
  /** Those that can be written; none without ffmpeg. */
  readonly formats: readonly TranscodeFormat[]
  /** Of the options, those that can be written. */
  readonly profiles: Readonly<Record<string, TranscodeProfile>>
  /**
   * Answers with a transcoding, from its first byte on while it is made. Equal ones at the same time are one run. Set
   * `Cache-Control` before.
   *
   * @throws what `open` throws; a SourceError of status 502 for what ffmpeg cannot read
   */
  send (reply: FastifyReply, transcoding: Transcoding): Promise<FastifyReply>
  /** Ends all runs. */
  close (): Promise<void>
}

const rules: Record<keyof TranscoderOptions, MemberRule> = {
  cacheDir: { ...aText, must: 'the path of a folder' },
  cacheSize: { ...wholeNumber(1), optional: true },
  concurrency: { ...wholeNumber(1), optional: true },
  ffmpeg: { ...aText, optional: true },
  profiles: {
    must: 'an object of { format: mp3, opus, aac or flac, bitrate: bit/s or left out }',
    holds: value => isObject(value) && Object.values(value).every(isProfile),
    optional: true
  },
  prepare: { ...aFunction, optional: true },
  log: anObject
}

const isProfile = (value: unknown): boolean => isObject(value) && isTranscodeFormat(value.format) &&
  (value.bitrate === undefined || (Number.isFinite(value.bitrate) && Number(value.bitrate) > 0))

const names = /^[\da-f]{64}\.[\da-z]+$/

/**
 * Transcodes audio with ffmpeg, which is asked what it can write. Without it `formats` is empty, and that is one line
 * in the log.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 * @see docs/guide/media.md
 */
export async function createTranscoder (options: TranscoderOptions): Promise<Transcoder> {
  validateMembers(options, rules)
  const {
    cacheDir, cacheSize = 2 ** 30, concurrency = Math.max(1, availableParallelism() >> 1), ffmpeg = 'ffmpeg', log,
    prepare = async folder => { await mkdir(folder, { recursive: true, mode: 0o700 }) }
  } = options
  const formats = await findFormats(ffmpeg, log)
  const profiles = Object.fromEntries(
    Object.entries(options.profiles ?? {}).filter(([, { format }]) => formats.includes(format)))
  const files = new KeptFiles(cacheDir, { bytes: cacheSize, names, prepare })
  const limit = limitConcurrency({ inAll: concurrency })
  const runs = new Map<string, Run>()
  const publish = (type: ChannelMessages['transcoder']['type'], format: string) =>
    transcoderChannel.publish({ type, format })

  function begin (name: string, { profile, start = 0, open }: Transcoding): Run {
    const { format } = profile
    const run = new Run(files, start === 0 ? name : undefined, cacheSize, async (write, signal) => {
      publish('wait', format)
      const waited = once(() => publish('begin', format))
      try {
        await limit(async () => {
          waited()
          const input = await seekableInput(await open(signal), files, cacheSize, signal)
          await trace(channels.transcode, { format }, () =>
            runFfmpeg(ffmpeg, input, input => argumentsOf(profile, input, start), write, signal).catch(error => {
              if (signal.aborted) throw signal.reason
              log.warn({ format, reason: error.message }, 'A track could not be transcoded')
              throw new UpstreamError('This track cannot be converted', { cause: error })
            }), { signal })
        }, { signal })
      } finally {
        waited()
      }
    })
    runs.set(name, run)
    run.ended.then(() => { if (runs.get(name) === run) runs.delete(name) })
    return run
  }

  async function send (reply: FastifyReply, transcoding: Transcoding): Promise<FastifyReply> {
    const { raw, request } = reply
    const { key, profile, start = 0, isWhole = isPart(readRange(request.headers.range)), onBytes } = transcoding
    if (!formats.includes(profile.format)) throw new SourceError(501, `Nothing is converted to ${profile.format} here`)
    const digest = createHash('sha256').update(JSON.stringify([key, profile.format, bitrateOf(profile), start]))
    const name = `${digest.digest('hex')}.${profile.format}`
    reply.type(audioTypeOf(profile.format)!)
    const kept = start === 0 && await openKept(name)
    if (kept) {
      publish('hit', profile.format)
      return sendFile(reply, kept, onBytes)
    }
    if (isResponseClosed(raw)) return reply.hijack()
    // A stream without bytes, since Fastify's own routes for HEAD set the length of an answer that has none to 0.
    if (request.method === 'HEAD') return reply.send(Readable.from([], { objectMode: false }))
    const run = runs.get(name) ?? begin(name, transcoding)
    run.join()
    onResponseClose(raw, () => run.leave())
    await run.until(isWhole)
    return isWhole
      ? sendFile(reply, run.file, onBytes)
      : reply.send(Readable.from(run.read(onBytes), { objectMode: false }))
  }

  async function openKept (name: string) {
    const path = await files.find(name)
    const handle = path && await open(path).catch(() => files.forget(name))
    return handle ? { handle, stats: await handle.stat() } : undefined
  }

  return {
    formats,
    profiles,
    send,
    async close () {
      for (const run of runs.values()) run.abort(new SourceError(503, 'The server closes'))
      await Promise.all([...runs.values()].map(({ ended }) => ended))
      await files.close()
    }
  }
}

/** Whether a range is not that of all bytes, which players ask for first. */
const isPart = (range: ByteRange | undefined): boolean =>
  range !== undefined && !('start' in range && range.start === 0 && range.end === undefined)

function once (run: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) run()
    isDone = true
  }
}
