import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { locate } from '../../services.ts'
import type { Answer } from './listener.ts'
import { colourOf } from './music.ts'

/** Samples of the decoded audio, in a second. */
const rate = 8000

/** Seconds of audio that can be decoded. @throws Error for what is no audio */
export async function secondsOf ({ status, headers, body }: Answer): Promise<number> {
  if (status !== 200) throw new Error(`${status} ${body.subarray(0, 500).toString()}`)
  const decoder = spawn(locate('ffmpeg'), [
    '-loglevel', 'error', '-i', 'pipe:0', '-map', '0:a', '-f', 's16le', '-ac', '1', '-ar', String(rate), 'pipe:1'
  ], { stdio: ['pipe', 'pipe', 'pipe'] })
  decoder.stdin.on('error', () => {}).end(body)
  const [samples, said] = await Promise.all([buffer(decoder.stdout), buffer(decoder.stderr)])
  if (samples.length === 0) throw new Error(`${headers.get('content-type')} is no audio: ${said}`)
  return samples.length / 2 / rate
}

/** Whether a picture is the cover of an album. @throws Error for what is no picture */
export async function isCoverOf (album: string, { status, body }: Answer): Promise<boolean> {
  if (status !== 200) throw new Error(`${status} ${body.subarray(0, 500).toString()}`)
  const { channels } = await sharp(body).stats()
  const { r, g, b } = colourOf(album)
  return [r, g, b].every((value, at) => Math.abs(value - channels[at]!.mean) < 12)
}
