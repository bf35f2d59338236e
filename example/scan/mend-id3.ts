/** A frame of an ID3 tag. */
interface Frame {
  readonly id: string
  /** The start of its header. */
  readonly at: number
  readonly size: number
}

/** The size of a tag header, and of a frame header, in bytes. */
const head = 10
/** Flags of frames that are not plain text: compressed, encrypted or with a group byte. */
const packed: Readonly<Record<number, number>> = { 3: 0xe0, 4: 0x4c }

const syncSafeAt = (tag: Buffer, at: number) => tag[at]! << 21 | tag[at + 1]! << 14 | tag[at + 2]! << 7 | tag[at + 3]!
const plainAt = (tag: Buffer, at: number) => tag.readUInt32BE(at)

/** Returns the frames of a tag; `undefined` if they are not consecutive. */
function walk (tag: Buffer, sizeAt: typeof plainAt): Frame[] | undefined {
  const frames: Frame[] = []
  let at = head
  while (at + head < tag.length && tag[at] !== 0) {
    const id = tag.toString('latin1', at, at + 4)
    const size = sizeAt(tag, at + 4)
    if (!/^[A-Z][A-Z0-9]{3}$/.test(id) || at + head + size > tag.length) return undefined
    frames.push({ id, at, size })
    at += head + size
  }
  return frames
}

/**
 * Returns the frames of an ID3v2.3 or 2.4 tag by id. The tag is modified for parsers: sizes of 2.4 follow the standard,
 * which iTunes violated, and packed frames are renamed, since their bytes are not text.
 *
 * @returns whether it was modified; no frames for a tag of another kind
 */
export function mendId3 (tag: Buffer): { frames: Map<string, Buffer>, isChanged: boolean } {
  const version = tag[3]!
  const [byStandard, byApple] = [version === 4 ? syncSafeAt : plainAt, plainAt]
  // A tag with an extended header or with unsynchronisation is left to the parser.
  const isKnown = packed[version] !== undefined && tag[5]! < 0x40
  const frames = isKnown ? walk(tag, byStandard) ?? walk(tag, byApple) ?? [] : []
  let isChanged = false
  const contents = new Map<string, Buffer>()
  for (const { id, at, size } of frames) {
    if (byStandard(tag, at + 4) !== size) {
      for (let byte = 0; byte < 4; byte++) tag[at + 4 + byte] = size >> 7 * (3 - byte) & 127
      isChanged = true
    }
    if ((tag[at + 9]! & packed[version]!) !== 0) {
      tag.write('XPAC', at, 'latin1')
      isChanged = true
    } else if (!contents.has(id)) contents.set(id, tag.subarray(at + head, at + head + size))
  }
  return { frames: contents, isChanged }
}

const decoders = ['latin1', 'utf-16', 'utf-16be', 'utf-8'] as const

/** Returns the text of a frame, including separators. */
export function textOfFrame (frame: Buffer | undefined): string {
  const decoder = decoders[frame?.[0] ?? decoders.length]
  const text = frame?.subarray(1)
  // Text marked as Latin-1 may have another encoding, so its bytes are preserved.
  if (decoder === 'latin1') return text!.toString('latin1').replace(/\0$/, '')
  return decoder === undefined ? '' : new TextDecoder(decoder).decode(text).replace(/\0$/, '')
}

/** Returns the gain in dB of the master volume in a frame RVA2, and its scope. */
export function volumeOf (frame: Buffer | undefined): { isAlbum: boolean, gain: number } | undefined {
  const end = frame?.indexOf(0) ?? -1
  if (end === -1 || end + 4 > frame!.length || frame![end + 1] !== 1) return undefined
  return { isAlbum: /album/i.test(frame!.toString('latin1', 0, end)), gain: frame!.readInt16BE(end + 2) / 512 }
}
