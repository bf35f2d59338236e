const rate = 16_000
const secondsOfNote = 0.4
const scale = [262, 294, 330, 349, 392, 440, 494, 523]

/** Returns two short songs for a new source: WAV files by their names. */
export const demoMusic = (): Map<string, Buffer> => new Map([
  ['The Scales - Rising Scale.wav', createWav(scale)],
  ['The Scales - Falling Scale.wav', createWav(scale.toReversed())]
])

/** Creates a WAV file of plain tones: 8 bit, mono, a frequency in Hz for each note. */
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
