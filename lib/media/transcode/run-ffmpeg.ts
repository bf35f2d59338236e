import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OpenFile } from '../open-file.ts'

/** The input of a transcoding: an open file, which is seekable and will be closed, or a stream of bytes. */
export type TranscodeInput = Pick<OpenFile, 'handle' | 'path'> | AsyncIterable<Uint8Array>

export const isFile = (input: TranscodeInput): input is Pick<OpenFile, 'handle' | 'path'> => 'handle' in input

/** The timeout in milliseconds of a wait for the next byte. */
export const limits = { idle: 30_000 }

/** The limits of a run: memory in kB and CPU time in seconds. */
const resources = { memory: 4 * 2 ** 20, time: 3600 }

/** The maximum characters of its error output. */
const mostOfWords = 500

/** Its message about each cover, which it does not decode. */
const ofCovers = /Picture size/

/** The path of the inherited file descriptor 3. */
const inherited = '/dev/fd/3'

/** Environment variables passed to ffmpeg. The others may contain secrets. */
const passed = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot']

/**
 * Runs ffmpeg. The system ends it with this process, since it writes to a pipe. Libraries for child processes are not
 * used, because they buffer all output or split it into lines.
 *
 * @param argumentsFor returns the arguments for an input name
 * @param write receives the output; the next output is read after it resolves
 * @param signal ends the process
 * @throws Error with its last output, without the path; errors of the input and of `write`; the reason of the signal
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
      // In a separate process group, so that a kill also ends its children.
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
    // ffmpeg may finish before the end of its input.
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

/**
 * Kills the process and its children, and ignores survivors: a process that waits for an unresponsive disk cannot end.
 */
function kill (child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // The process has ended already.
  }
}

/** Adds resource limits, if the system has a shell that sets them. */
function limited (ffmpeg: string, args: string[]): [command: string, args: string[]] {
  if (process.platform === 'win32') return [ffmpeg, args]
  const script = `ulimit -v ${resources.memory}; ulimit -t ${resources.time}; exec "$0" "$@"`
  return ['/bin/sh', ['-c', script, ffmpeg, ...args]]
}

/** Lowers the priority of a process, so that requests for files do not wait for it. */
function yieldTo (pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has ended already, or the system does not allow it.
  }
}
