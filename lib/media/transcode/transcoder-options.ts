import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { isObject } from '../../options/is-object.ts'
import { aFunction, anObject, aText, wholeNumber } from '../../options/member-rules.ts'
import type { MemberRule } from '../../options/validate-members.ts'
import { bitrates, isTranscodeFormat, type TranscodeFormat, type TranscodeProfile } from './ffmpeg.ts'
import type { TranscodeInput } from './run-ffmpeg.ts'

export interface TranscoderOptions {
  /** A dedicated folder for finished transcodings. It is created if it is missing. */
  cacheDir: string
  /** The maximum size of the cache in bytes. The least recently used files are removed first. Default: 1 GiB. */
  cacheSize?: number | undefined
  /** The maximum number of concurrent runs; the others wait. Default: half of the processors, at least one. */
  concurrency?: number | undefined
  /** The command. Default: `ffmpeg`; if the default is missing, one line is logged at level `info`. */
  ffmpeg?: string | undefined
  /**
   * The profiles that tracks are offered in, by name. Profiles that this ffmpeg cannot write are left out. Default:
   * none.
   */
  profiles?: Readonly<Record<string, TranscodeProfile>> | undefined
  /** Creates `cacheDir`, and throws if nothing may be written to it, for example because the disk is nearly full. */
  prepare?: ((folder: string) => Promise<void>) | undefined
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** A transcoding to send. */
export interface Transcoding {
  /**
   * Identifies the audio and its version, for example by id, size and modification time. Equal keys are transcoded
   * once.
   */
  key: string
  profile: TranscodeProfile
  /** Seconds to skip at the beginning, rounded down; such a part is not stored. Default: 0. */
  startSeconds?: number | undefined
  /** Whether to wait for the end, so that the length is known. Default: only if the request has a range. */
  isWhole?: boolean | undefined
  /**
   * The account of the run. One account has at most four processes and a share of the queue. Default: no such limit.
   */
  account?: string | undefined
  /** Opens the audio, and again if the run continues in another process. An open file will be closed. */
  open: (signal: AbortSignal) => TranscodeInput | Promise<TranscodeInput>
  /** Called with the number of bytes sent, for each 64 KiB. */
  onBytes?: ((bytes: number) => void) | undefined
}

export interface Transcoder {
  /** The formats that can be written; empty without ffmpeg. */
  readonly formats: readonly TranscodeFormat[]
  /** The configured profiles that can be written. */
  readonly profiles: Readonly<Record<string, TranscodeProfile>>
  /**
   * Responds with a transcoding, from its first byte while it is produced. Identical concurrent requests share one run.
   * Set `Cache-Control` before.
   *
   * @throws errors of `open`; a SourceError of status 502 if ffmpeg cannot read the input
   */
  send (reply: FastifyReply, transcoding: Transcoding): Promise<FastifyReply>
  /** Ends all runs. */
  close (): Promise<void>
}

/** The minimum in bytes: a smaller number was probably meant as MB. */
const leastCache = 16_384

export const transcoderRules: Record<keyof TranscoderOptions, MemberRule> = {
  cacheDir: { ...aText, must: 'the path of a folder' },
  cacheSize: { ...wholeNumber(leastCache), must: `a whole number of bytes from ${leastCache}`, optional: true },
  concurrency: { ...wholeNumber(1), optional: true },
  ffmpeg: { ...aText, optional: true },
  profiles: {
    must: `an object of { format: mp3, opus, aac or flac, bitrate: bit/s from ${bitrates[0]} or left out }`,
    holds: value => isObject(value) && Object.values(value).every(isProfile),
    optional: true
  },
  prepare: { ...aFunction, optional: true },
  log: anObject
}

const isProfile = (value: unknown): boolean => isObject(value) && isTranscodeFormat(value.format) &&
  (value.bitrate === undefined || (Number.isFinite(value.bitrate) && Number(value.bitrate) >= bitrates[0]!))
