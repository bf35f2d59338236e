import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { isObject } from '../../options/is-object.ts'
import { aFunction, anObject, aText, wholeNumber } from '../../options/member-rules.ts'
import type { MemberRule } from '../../options/validate-members.ts'
import { bitrates, isTranscodeFormat, type TranscodeFormat, type TranscodeProfile } from './ffmpeg.ts'
import type { TranscodeInput } from './run-ffmpeg.ts'

export interface TranscoderOptions {
  /** A folder of its own, where finished transcodings are kept. It is made where it is missing. */
  cacheDir: string
  /** Bytes that are kept, at most; what was not used for longest goes first. Default: 1 GiB. */
  cacheSize?: number | undefined
  /** Runs at a time; the others wait. Default: half of the processors, at least one. */
  concurrency?: number | undefined
  /** The command. Default: `ffmpeg`; it may be missing then, with a line at the level `info`. */
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
  /** Seconds to leave out at the beginning, rounded down; such a part is not stored. Default: 0. */
  start?: number | undefined
  /** Whether to wait for the end, so that the length is known. Default: only where the request has a range. */
  isWhole?: boolean | undefined
  /** Whose run it is: one account has four processes at most, and a share of what waits. Default: no such limit. */
  account?: string | undefined
  /** Opens the audio, again where a run goes on in another process. An open file is closed. */
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

/** Bytes: less is meant as MB. */
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
