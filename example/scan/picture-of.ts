export interface Picture { readonly data: Uint8Array, readonly type: string }

/** Bytes; what is larger is no cover. */
export const largestPicture = 20 * 1024 * 1024

/** The beginnings of pictures. What a tag or a name says is not believed: a browser would show it as what it says. */
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

/** The last bytes of pictures, and how many of those at the end of the data they are among: some have more behind. */
const ends: Readonly<Record<string, string>> = { 'image/jpeg': '\xff\xd9', 'image/png': 'IEND' }
const mostBehind = 4096

/** Whether the end of a picture is there, where its type has one: a download may have broken off. */
export function isWhole (picture: Picture | undefined): picture is Picture {
  const end = picture && ends[picture.type]
  return end === undefined
    ? picture !== undefined
    : Buffer.from(picture!.data.subarray(-mostBehind)).toString('latin1').includes(end)
}
