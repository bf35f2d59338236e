export interface Picture { readonly data: Uint8Array, readonly type: string }

/** The maximum size of a cover in bytes. */
export const largestPicture = 20 * 1024 * 1024

/** The signatures of pictures. The type in a tag or a name is ignored, since a browser would trust it. */
const types: readonly [type: string, beginning: RegExp][] = [
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF....WEBP/s]
]

export function pictureOf (data: Uint8Array | undefined): Picture | undefined {
  if (data === undefined || data.length > largestPicture) return undefined
  const beginning = Buffer.from(data.subarray(0, 12)).toString('latin1')
  const type = types.find(([, pattern]) => pattern.test(beginning))?.[0]
  return type === undefined ? undefined : { data, type }
}

/**
 * The final bytes of pictures, and the number of trailing bytes in which they are searched: some pictures have data
 * after their end.
 */
const ends: Readonly<Record<string, string>> = { 'image/jpeg': '\xff\xd9', 'image/png': 'IEND' }
const mostBehind = 4096

/** Returns whether a picture is complete, if its type has an end marker: a download may have been interrupted. */
export function isWhole (picture: Picture | undefined): picture is Picture {
  const end = picture && ends[picture.type]
  return end === undefined
    ? picture !== undefined
    : Buffer.from(picture!.data.subarray(-mostBehind)).toString('latin1').includes(end)
}
