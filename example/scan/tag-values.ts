import type { IAudioMetadata } from 'music-metadata'

/** Lists of contributors, whose roles are separate tags in other formats. */
const lists = ['TIPL', 'IPLS', 'IPL', 'TMCL']
/** Roles with another name in other formats. */
const parts: Readonly<Record<string, string>> = { MIX: 'MIXER', 'DJ-MIX': 'DJMIXER' }
/** The prefix of custom names: the frame TXXX of ID3 ("user defined text"), the atom `----` of MP4. */
const prefix = /^(?:TXXX:|----:[^:]*:)/i

const plain = (name: string) => name.replace(prefix, '').replace(/[\s_]/g, '').toUpperCase()

/** Values of tags by normalised name: `TXXX:MusicBrainz Album Id` and `MUSICBRAINZ_ALBUMID` are equal. */
export class TagValues {
  readonly #values = new Map<string, string[]>()

  constructor (native: IAudioMetadata['native']) {
    for (const tags of Object.values(native)) {
      const seen = new Map<string, string[]>()
      for (const { id, value } of tags) {
        for (const [name, text] of textsOf(id, value)) {
          const texts = seen.get(name)
          if (texts === undefined) seen.set(name, [text])
          else texts.push(text)
        }
      }
      // The first kind of tags that has a name is used: the others repeat the values, sometimes truncated.
      for (const [name, values] of seen) if (!this.#values.has(name)) this.#values.set(name, values)
    }
  }

  /** Returns the values of the first name that has any. Names are in upper case, without spaces and underscores. */
  of (...names: readonly string[]): readonly string[] {
    return names.map(name => this.#values.get(name)).find(values => values !== undefined) ?? []
  }

  /** Returns the first value, or an empty string. */
  first (...names: readonly string[]): string { return this.of(...names)[0] ?? '' }
}

function textsOf (id: string, value: unknown): [name: string, text: string][] {
  if (typeof value === 'string' || typeof value === 'number') {
    // ID3v2.2 stores the name before the value.
    const [first, second] = id === 'TXX' ? String(value).split('\0') : []
    return second === undefined ? [[plain(id), String(value)]] : [[plain(first!), second]]
  }
  if (!lists.includes(id)) return []
  return Object.entries(value as Record<string, string[]>).flatMap(([part, people]) => people.map(
    (person): [string, string] => id === 'TMCL'
      ? ['PERFORMER', `${person} (${part})`]
      : [parts[part.toUpperCase()] ?? plain(part), person]))
}
