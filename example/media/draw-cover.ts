import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** The width and height in pixels. */
const side = 256

/** Returns a plain PNG for items without a picture, in colours derived from the name. */
export function drawCover (name: string): Buffer {
  const colours = createHash('sha256').update(name).digest()
  const rows = Buffer.alloc(side * (1 + side * 3)) // each begins with its filter: 0 = none
  for (let y = 0; y < side; y++) {
    const mixed = [0, 1, 2].map(at => (colours[at]! * (side - y) + colours[at + 3]! * y) / side)
    const pixel = Buffer.from(mixed.map(colour => Math.round(colour * 0.7)))
    rows.fill(pixel, y * (1 + side * 3) + 1, (y + 1) * (1 + side * 3))
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2], 8) // 8 bit, RGB
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
}

function chunk (name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
