/**
 * Makes 200 files of real sizes, 2 GB, in every format: `node make-real-files.ts FOLDER` (Node 22 or later, ffmpeg with
 * libvorbis, libopus, libmp3lame). Among them are MP3 files of a variable bitrate that do not say how long they are,
 * several recordings in one Ogg file, FLAC with 10 MB of pictures and a file of 1 GB.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const target = process.argv[2]!
const each = 25
const work = mkdtempSync(join(tmpdir(), 'real-'))
const ffmpeg = (...args: string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...args])

const sound = join(work, 'sound.wav')
const noise = "anoisesrc=d=480:c=pink:a=0.3:seed=1,volume='0.2+0.8*abs(sin(t/7))':eval=frame"
ffmpeg('-f', 'lavfi', '-i', noise, '-ar', '44100', '-ac', '2', sound)

const kinds: readonly [name: string, type: string, count: number, seconds: number, ...args: string[]][] = [
  ['Vorbis', 'ogg', 2 * each, 480, '-c:a', 'libvorbis', '-q:a', '5'],
  ['Opus', 'opus', each, 480, '-c:a', 'libopus', '-b:a', '128k'],
  ['Variable bitrate', 'mp3', each, 480, '-c:a', 'libmp3lame', '-q:a', '2', '-write_xing', '0'],
  ['Constant bitrate', 'mp3', each, 480, '-c:a', 'libmp3lame', '-b:a', '256k'],
  ['AAC', 'm4a', each, 480, '-c:a', 'aac', '-b:a', '192k'],
  ['Plain', 'wav', each / 2, 100],
  ['Pictures', 'flac', each, 120, '-c:a', 'flac']
]

/** A picture block of 10 MB in front of the others but the first. */
function addPicture (file: string): void {
  const content = readFileSync(file)
  const behind = 8 + content.readUIntBE(5, 3)
  const size = 10 * 1024 * 1024
  const block = Buffer.alloc(4 + 32 + 9 + size, 7)
  block.writeUInt32BE(block.length - 4)
  block[0] = 6
  for (const [at, value] of [3, 9].entries()) block.writeUInt32BE(value, 4 + 4 * at)
  block.write('image/png', 12)
  block.fill(0, 21, 41)
  block.writeUInt32BE(size, 41)
  writeFileSync(file, Buffer.concat([content.subarray(0, behind), block, content.subarray(behind)]))
}

for (const [name, type, count, seconds, ...args] of kinds) {
  const source = join(work, `${name}.${type}`)
  ffmpeg('-i', sound, '-t', String(seconds), ...args, source)
  for (let track = 0; track < count; track++) {
    const album = `${name} ${Math.floor(track / 10)}`
    const folder = join(target, `${name} artist`, album)
    const file = join(folder, `${track}.${type}`)
    const tags = { title: `Song ${track}`, artist: `${name} artist`, album, track: String(track % 10 + 1) }
    mkdirSync(folder, { recursive: true })
    ffmpeg('-i', source, '-c', 'copy', ...Object.entries(tags).flatMap(([key, value]) => [
      '-metadata', `${key}=${value}`
    ]),
    ...(type === 'mp3' && name.startsWith('Variable') ? ['-write_xing', '0'] : []), file)
    if (name === 'Pictures') addPicture(file)
  }
}
const chained = Buffer.concat([readFileSync(join(work, 'Vorbis.ogg')), readFileSync(join(work, 'Opus.opus'))])
for (let track = 0; track < 5; track++) writeFileSync(join(target, `Chained ${track}.ogg`), chained)
const long = join(target, 'Long.wav')
writeFileSync(long, readFileSync(join(work, 'Plain.wav')))
truncateSync(long, 1024 ** 3)
rmSync(work, { recursive: true })
