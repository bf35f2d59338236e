import { SourceError, UpstreamError } from '../../contract/errors.ts'
import { channels } from '../../tracing/channels.ts'
import { trace } from '../../tracing/trace.ts'
import type { FileCache } from '../file-cache.ts'
import { afterHead } from './after-head.ts'
import { lengthWriter } from './audio-length.ts'
import { argumentsOf } from './ffmpeg.ts'
import { lengthOf, type AudioLength } from './length-of.ts'
import type { Run } from './run.ts'
import { runFfmpeg } from './run-ffmpeg.ts'
import type { Scheduler } from './scheduler.ts'
import { closeInput, seekableInput } from './seekable-input.ts'
import type { TranscoderOptions, Transcoding } from './transcoder-options.ts'

/** The parts that all runs of a transcoder share. */
interface Parts extends Pick<TranscoderOptions, 'log'> {
  readonly ffmpeg: string
  readonly files: FileCache
  readonly scheduler: Scheduler
}

/**
 * Produces the bytes of a run with one or more processes: a held process ends for a more urgent run.
 *
 * @throws errors of `open`; SourceError 416 for a start after the end, 502 if ffmpeg cannot read the input, 503 if too
 *   many runs wait; the reason of the signal
 */
export async function transcode (
  { ffmpeg, files, scheduler, log }: Parts, run: Run, { profile, startSeconds = 0, open }: Transcoding,
  signal: AbortSignal
): Promise<void> {
  const { format } = profile
  const turn = scheduler.admit(run)
  try {
    do {
      // Outside the slot, since it may take long.
      const { input, head } = await seekableInput(await open(signal), files, signal)
      const length = lengthAfter(lengthOf(head), startSeconds)
      const ends = await enter(length).catch(async error => {
        await closeInput(input)
        throw error
      })
      const { write, end } = writerOf(length)
      await trace(channels.transcode, { format }, () =>
        runFfmpeg(ffmpeg, input, input => argumentsOf(profile, input, startSeconds), async bytes => {
          await write(bytes)
          await turn.goOn()
        }, ends).then(end).catch(error => {
          if (!turn.isEnded || !run.hasListeners) throw reasonOf(error)
        }), { signal })
    } while (turn.isEnded)
  } finally {
    turn.leave()
  }

  async function enter (length: AudioLength | undefined): Promise<AbortSignal> {
    if (length?.samples === 0) throw pastEnd()
    return turn.enter(signal)
  }

  function writerOf (length: AudioLength | undefined) {
    const [write, withLength] = [run.writer(), lengthWriter(format, length)]
    const take = (bytes: Buffer) => write(withLength(bytes))
    return startSeconds > 0 ? afterHead(take) : { write: take, end: undefined }
  }

  function reasonOf (error: Error): unknown {
    if (signal.aborted) return signal.reason
    if (turn.isEnded) return new SourceError(499, 'Nobody listens any more')
    if (startSeconds > 0 && /Empty output/.test(error.message)) return pastEnd()
    log.warn({ format, reason: error.message }, 'track not transcoded')
    return new UpstreamError('This track cannot be converted', { cause: error })
  }
}

const pastEnd = () => new SourceError(416, 'The audio ends before this time')

/** Returns the length of audio after a start time. */
const lengthAfter = (length: AudioLength | undefined, start: number): AudioLength | undefined =>
  length && { ...length, samples: Math.max(0, length.samples - start * length.rate) }
