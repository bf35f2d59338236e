import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OpenFile } from '../open-file.ts'

/** What is transcoded: an open file, which may be sought in and is closed, or bytes as they come. */
export type TranscodeInput = Pick<OpenFile, 'handle' | 'path'> | AsyncIterable<Uint8Array>

export const isFile = (input: TranscodeInput): input is Pick<OpenFile, 'handle' | 'path'> => 'handle' in input

/** Milliseconds without a byte. */
export const limits = { idle: 30_000 }

/** kB of memory and seconds of a processor that a run has. */
const most = { memory: 4 * 2 ** 20, time: 3600 }

/** Characters of what it says. */
const mostOfWords = 500

/** Where a process finds what it was started with as file 3. */
const inherited = '/dev/fd/3'

/** What ffmpeg needs of the environment, which has secrets. */
const passed = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot']

/**
 * Runs ffmpeg. The system ends it with us: it writes to a pipe. No library starts it, since those take output as a
 * whole or follow it as lines.
 *
 * @param argumentsFor its arguments for what it opens
 * @param write takes its output
 * @param signal ends it
 * @throws Error with its last words, without the path; what the input and `write` throw; the reason of the signal
 */
export async function runFfmpeg (
  ffmpeg: string, input: TranscodeInput, argumentsFor: (name: string) => string[],
  write: (bytes: Buffer) => Promise<void>, signal: AbortSignal
): Promise<void> {
  const file = isFile(input) ? input : undefined
  const hasDescriptors = existsSync('/dev/fd')
  const name = file === undefined ? 'pipe:0' : hasDescriptors ? inherited : file.path
  const ends = new AbortController()
  const fail = (reason: unknown) => ends.abort(reason)
  const leave = () => fail(signal.reason)
  signal.addEventListener('abort', leave)
  const idle = setTimeout(() => fail(new Error(`No sound came for ${limits.idle} ms`)), limits.idle)
  try {
    signal.throwIfAborted()
    const [command, args] = limited(ffmpeg, argumentsFor(name))
    const child = spawn(command, args, {
      env: Object.fromEntries(passed.map(name => [name, process.env[name]])),
      stdio: [
        file === undefined ? 'pipe' : 'ignore', 'pipe', 'pipe', ...file && hasDescriptors ? [file.handle.fd] : []
      ],
      windowsHide: true,
      signal: ends.signal,
      killSignal: 'SIGKILL'
    })
    const closed = once(child, 'close')
    closed.catch(fail)
    if (child.pid !== undefined) yieldTo(child.pid)
    let words = ''
    child.stderr!.on('data', (bytes: Buffer) => { words = (words + String(bytes)).slice(-mostOfWords) })
    // It may have all that it needs before the end of its input.
    const fed = file === undefined && pipeline(Readable.from(input as AsyncIterable<Uint8Array>), child.stdin!)
      .catch(error => { if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') fail(error) })
    let bytes = 0
    for await (const part of child.stdout! as AsyncIterable<Buffer>) {
      idle.refresh()
      bytes += part.length
      await write(part).catch(fail)
    }
    const [code, killed] = await closed
    await fed
    ends.signal.throwIfAborted()
    if (code !== 0) throw new Error(`ffmpeg ended with ${killed ?? code}: ${words.replaceAll(name, 'input').trim()}`)
    if (bytes === 0) throw new Error('ffmpeg has found no sound')
  } catch (error) {
    throw ends.signal.aborted ? ends.signal.reason : error
  } finally {
    clearTimeout(idle)
    signal.removeEventListener('abort', leave)
    await file?.handle.close()
  }
}

/** Within limits of the system, where it has a shell that sets them. */
function limited (ffmpeg: string, args: string[]): [command: string, args: string[]] {
  if (process.platform === 'win32') return [ffmpeg, args]
  const script = `ulimit -v ${most.memory}; ulimit -t ${most.time}; exec "$0" "$@"`
  return ['/bin/sh', ['-c', script, ffmpeg, ...args]]
}

/** Whoever is sent a file is not to wait for it. */
function yieldTo (pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system does not let us.
  }
}
