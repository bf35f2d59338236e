// Plays something before there is real music. Delete it when your adapter has URLs of its own.

import type { FastifyInstance } from 'fastify'

const rate = 16_000
const secondsOfNote = 0.4

/** Plain tones as a WAV file: 8 bit, mono. A frequency (Hz) for each note. */
function createWav (notes: readonly number[]): Buffer {
  const samples = Buffer.alloc(Math.round(notes.length * secondsOfNote * rate))
  for (let index = 0; index < samples.length; index++) {
    const time = index / rate
    const fading = 1 - time % secondsOfNote / secondsOfNote
    samples[index] = 128 + Math.round(
      90 * fading * Math.sin(2 * Math.PI * notes[Math.floor(time / secondsOfNote)]! * time)
    )
  }
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

const scale = [262, 294, 330, 349, 392, 440, 494, 523]
const files = new Map([['rising', createWav(scale)], ['falling', createWav(scale.toReversed())]])

/** Length of a melody in milliseconds. */
export const durationMs = scale.length * secondsOfNote * 1000

/** Serves `/demo/rising.wav` and `/demo/falling.wav`, also in parts, which players need for seeking. */
export function serveDemoAudio (app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/demo/:name.wav', async (request, reply) => {
    const file = files.get(request.params.name)
    if (file === undefined) return reply.callNotFound()
    reply.type('audio/wav').header('accept-ranges', 'bytes')
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    if (first === undefined) return file
    const begin = Number(first)
    const end = Math.min(Number(last || Infinity), file.length - 1)
    if (begin > end) return reply.code(416).header('content-range', `bytes */${file.length}`).send()
    return reply.code(206).header(
      'content-range', `bytes ${begin}-${end}/${file.length}`
    ).send(file.subarray(begin, end + 1))
  })
}
