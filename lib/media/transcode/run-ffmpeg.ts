import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OpenFile } from '../open-file.ts'

/** What is transcoded: an open file, which may be sought in and is closed, or bytes as they come. */
export type TranscodeInput = Pick<OpenFile, 'handle' | 'path'> | AsyncIterable<Uint8Array>

export const isFile = (input: TranscodeInput): input is Pick<OpenFile, 'handle' | 'path'> => 'handle' in input

/** Milliseconds without a byte, while bytes are waited for. */
export const limits = { idle: 30_000 }

/** kB of memory and seconds of a processor that a run has. */
const most = { memory: 4 * 2 ** 20, time: 3600 }

/** Characters of what it says. */
const mostOfWords = 500

/** What it says of each cover, which it does not decode. */
const ofCovers = /Picture size/

/** Where a process finds what it was started with as file 3. */
const inherited = '/dev/fd/3'

/** What ffmpeg needs of the environment, which has secrets. */
const passed = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot']

/**
 * Runs ffmpeg. The system ends it with us: it writes to a pipe. No library starts it, since those take output as a
 * whole or follow it as lines.
 *
 * @param argumentsFor its arguments for what it opens
 * @param write takes its output; nothing more is read before that is done
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
  let idle: NodeJS.Timeout | undefined
  try {
    signal.throwIfAborted()
    const [command, args] = limited(ffmpeg, argumentsFor(name))
    const child = spawn(command, args, {
      env: Object.fromEntries(passed.map(name => [name, process.env[name]])),
      stdio: [
        file === undefined ? 'pipe' : 'ignore', 'pipe', 'pipe', ...file && hasDescriptors ? [file.handle.fd] : []
      ],
      windowsHide: true,
      // In a process group of its own, a kill ends its children too.
      detached: process.platform !== 'win32'
    })
    const stopped = new Promise<never>((resolve, reject) => {
      ends.signal.addEventListener('abort', () => {
        kill(child)
        for (const stream of child.stdio) stream?.destroy()
        reject(ends.signal.reason)
      })
    })
    stopped.catch(() => {})
    child.once('exit', () => kill(child))
    const closed = once(child, 'close')
    closed.catch(fail)
    if (child.pid !== undefined) yieldTo(child.pid)
    let words = ''
    createInterface({ input: child.stderr! }).on('line', line => {
      if (!ofCovers.test(line)) words = `${words}\n${line}`.slice(-mostOfWords)
    })
    // It may have all that it needs before the end of its input.
    const fed = file === undefined && pipeline(Readable.from(input as AsyncIterable<Uint8Array>), child.stdin!)
      .catch(error => { if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') fail(error) })
    const parts = (child.stdout! as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
    let bytes = 0
    for (;;) {
      idle = setTimeout(() => fail(new Error(`No sound came for ${limits.idle} ms`)), limits.idle)
      const { done, value } = await Promise.race([parts.next(), stopped])
      if (done) break
      clearTimeout(idle)
      bytes += value.length
      await write(value)
    }
    const [code, killed] = await Promise.race([closed, stopped])
    await Promise.race([fed, stopped])
    ends.signal.throwIfAborted()
    if (code !== 0) throw new Error(`ffmpeg ended with ${killed ?? code}: ${words.replaceAll(name, 'input').trim()}`)
    if (bytes === 0) throw new Error('ffmpeg has found no sound')
  } catch (error) {
    fail(error)
    throw ends.signal.reason
  } finally {
    clearTimeout(idle)
    signal.removeEventListener('abort', leave)
    await file?.handle.close()
  }
}

/** Ends it with all that it has started, and leaves what survives: a disk that does not answer keeps a process. */
function kill (child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // All of it has ended already.
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
