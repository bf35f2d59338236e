const member = '"id":"'
const backslash = 92

/** Returns the FNV-1a hash of a part of a string whose characters are bytes. */
function hashOf (text: string, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

const bytesOf = (text: string) => Buffer.from(text).toString('latin1')

/** Returns the hash of an id. Two ids may have the same hash. */
export function hashOfId (id: string): number {
  const text = bytesOf(JSON.stringify(id))
  return hashOf(text, 1, text.length - 1)
}

/**
 * Returns the hashes of the ids of a response: of its requested ids and of its items. In serialized JSON, the searched
 * text cannot be part of a value.
 */
export function idsIn (args: readonly unknown[], body: Buffer | string): Uint32Array {
  const ids = new Set<number>()
  for (const value of args) if (typeof value === 'string') ids.add(hashOfId(value))
  const text = typeof body === 'string' ? bytesOf(body) : body.toString('latin1')
  for (let at = text.indexOf(member); at !== -1; at = text.indexOf(member, at)) {
    const from = at + member.length
    at = text.indexOf('"', from)
    while (isEscaped(text, at)) at = text.indexOf('"', at + 1)
    ids.add(hashOf(text, from, at))
  }
  return Uint32Array.from(ids)
}

/** Returns whether a quote is escaped: an odd number of backslashes precedes it. */
function isEscaped (text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first--
  return (at - first) % 2 === 1
}
