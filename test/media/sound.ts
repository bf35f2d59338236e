import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

const rate = 44_100
/** Hz at the beginning, and by which a second is higher than the one before. */
const [first, rise] = [200, 40]

/** The sound that `makeSound` has, from -0.5 to 0.5, at a time in seconds. */
export const toneAt = (time: number): number =>
  0.5 * Math.sin(2 * Math.PI * (first * time + rise / 2 * time * time))

/** Makes a file whose tone tells at what time it is heard. */
export function makeSound (folder: string, name: string, seconds: number, args: readonly string[] = []): string {
  const path = join(folder, name)
  const tone = `aevalsrc='0.5*sin(2*PI*(${first}*t+${rise / 2}*t*t))':s=${rate}:d=${seconds}`
  execFileSync('ffmpeg', ['-loglevel', 'error', '-nostdin', '-f', 'lavfi', '-i', tone, ...args, path])
  return path
}

/** Seconds at which a sound begins in what `makeSound` has made, and how long it is. */
export function heard (sound: Buffer): { from: number, length: number } {
  const args = ['-loglevel', 'error', '-i', 'pipe:0', '-f', 's16le', '-ar', String(rate), '-ac', '1', 'pipe:1']
  const pcm = execFileSync('ffmpeg', args, { input: sound, maxBuffer: 2 ** 28 })
  const crossings: number[] = []
  for (let at = rate / 5; at < rate && at * 2 + 4 <= pcm.length; at++) {
    const [now, next] = [pcm.readInt16LE(at * 2), pcm.readInt16LE(at * 2 + 2)]
    if (now < 0 && next >= 0) crossings.push((at + now / (now - next)) / rate)
  }
  const [start, end] = [crossings[0]!, crossings.at(-1)!]
  const frequency = (crossings.length - 1) / (end - start)
  return { from: (frequency - first) / rise - (start + end) / 2, length: pcm.length / 2 / rate }
}

export function folder (t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'transcode-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A program that says that it is ffmpeg, and does what a line of a shell says. */
export function fake (
  t: Test, line: string, version = 'ffmpeg version 6.1', encoders = 'libopus aac flac libmp3lame'
): string {
  const path = join(folder(t), 'ffmpeg')
  writeFileSync(path, `#!/bin/sh
case "$2" in
-version) echo '${version}' ;;
-encoders) for name in ${encoders}; do echo " A....D $name  An encoder"; done ;;
*) ${line} ;;
esac
`)
  chmodSync(path, 0o755)
  return path
}
