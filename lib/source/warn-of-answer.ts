import { isBitrateInKbit, isTimeInSeconds } from '../../schemas/units.ts'
import type { Log } from './caller.ts'
import type { Operation } from '../contract/operations.ts'

/** Milliseconds. A track that is shorter, but not 0, has its duration in seconds: one alone says so. */
const shortestTrack = 1000

/** Members whose unit is easily mistaken, and what they hold then. */
const units: Readonly<Record<string, { isWrong: (value: number) => boolean, words: string }>> = {
  durationMs: {
    isWrong: value => value > 0 && value < shortestTrack, words: 'looks like seconds, and is in milliseconds'
  },
  bitrate: { isWrong: isBitrateInKbit, words: 'looks like kbit/s, and is in bit/s' },
  publishTime: { isWrong: isTimeInSeconds, words: 'looks like seconds, and is a Unix time in milliseconds' },
  createdAt: { isWrong: isTimeInSeconds, words: 'looks like seconds, and is a Unix time in milliseconds' },
  updatedAt: { isWrong: isTimeInSeconds, words: 'looks like seconds, and is a Unix time in milliseconds' }
}

/** Members that clients open. Only the URL of audio must not be empty, which the contract says. */
const isUrl: ReadonlySet<string> = new Set(['url', 'coverUrl', 'avatarUrl', 'avatar'])

/** Why no client can open a text as a URL; `undefined` for one that it can. */
function unopenable (text: string): string | undefined {
  if (text === '' || /^https?:\/\//i.test(text)) return undefined
  if (/^(?:file:|[a-z]:[\\/]|\\\\)/i.test(text)) return 'names a file of this machine'
  if (text.startsWith('/')) return 'is a path without a host'
  return /^[a-z][a-z\d+.-]*:/i.test(text) ? 'has another scheme' : 'has no scheme'
}

/**
 * Warns in development about an answer that conforms, and that clients cannot use well: a page that is not the one that
 * was asked for, numbers in another unit, URLs that nobody can open. Once for each operation and member.
 *
 * @param body the answer as it is sent
 * @param warned what this operation was warned of
 * @param mistakes gets the warnings, for the check
 */
export function warnOfAnswer (
  body: string, { adapterMethod: method, parameters }: Operation, args: readonly unknown[],
  warned: Set<string>, mistakes: Set<string>, log: Log
): void {
  const warn = (key: string, message: string) => {
    if (warned.has(key)) return
    warned.add(key)
    mistakes.add(`${method}: ${message}`)
    log.warn({ operation: method }, `${method}: ${message}`)
  }
  const { data } = JSON.parse(body) as { data: Record<string, unknown> }
  const limit = args[parameters.indexOf('limit')]
  const items = data.items ?? data.tracks
  if (limit !== undefined && Array.isArray(items) && items.length > (limit as number)) {
    warn('items', `gave ${items.length} items for a limit of ${limit}: clients show too many, or some twice`)
  }
  for (const name of ['offset', 'limit']) {
    const asked = args[parameters.indexOf(name)]
    const given = data[name]
    if (asked === undefined || given === undefined || given === asked) continue
    warn(name, `answered with ${name} ${given} to ${name} ${asked}: a page tells the ${name} that was asked for`)
  }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      const unit = Object.hasOwn(units, name) ? units[name]! : undefined
      const wrong = isUrl.has(name) && typeof member === 'string' ? unopenable(member) : undefined
      if (wrong !== undefined) warn(name, `${name} ${wrong}: clients open absolute http and https URLs only`)
      else if (unit === undefined || typeof member !== 'number') visit(member)
      else if (unit.isWrong(member)) warn(name, `${name} ${member} ${unit.words}`)
    }
  }
  visit(data)
}
