import { isBitrateInKbit, agreesWithSize, isTimeInSeconds } from '../../schemas/units.ts'
import type { Log } from './caller.ts'
import type { Operation } from '../contract/operations.ts'

/**
 * The minimum duration in milliseconds. A shorter duration above 0 is probably in seconds; one such track is enough for
 * a warning.
 */
const shortestTrack = 1000

/** Properties whose unit is easily mistaken, with the check and the warning. */
const units: Readonly<Record<string, {
  isWrong: (value: number, item: { qualities?: unknown, size?: unknown }) => boolean, words: string
}>> = {
  durationMs: {
    isWrong: (value, { qualities }) => value > 0 && value < shortestTrack && !agreesWithSize(value, qualities),
    words: 'looks like seconds, and is in milliseconds'
  },
  bitrate: { isWrong: (value, { size }) => isBitrateInKbit(value, size), words: 'looks like kbit/s, and is in bit/s' },
  publishTime: { isWrong: isTimeInSeconds, words: 'looks like seconds, and is a Unix time in milliseconds' },
  createdAt: { isWrong: isTimeInSeconds, words: 'looks like seconds, and is a Unix time in milliseconds' },
  updatedAt: { isWrong: isTimeInSeconds, words: 'looks like seconds, and is a Unix time in milliseconds' }
}

/** Properties with URLs that clients open. Only the URL of audio must not be empty, as the contract requires. */
const isUrl: ReadonlySet<string> = new Set(['url', 'coverUrl', 'avatarUrl', 'avatar'])

/** Returns why clients cannot open a string as a URL; `undefined` for a valid URL. */
function unopenable (text: string): string | undefined {
  if (text === '' || /^https?:\/\//i.test(text)) return undefined
  if (/^(?:file:|[a-z]:[\\/]|\\\\)/i.test(text)) return 'names a file of this machine'
  if (text.startsWith('/')) return 'is a path without a host'
  return /^[a-z][a-z\d+.-]*:/i.test(text) ? 'has another scheme' : 'has no scheme'
}

/**
 * Warns in development about a response that conforms but that clients cannot use well: a page with another offset or
 * limit than requested, numbers in a wrong unit, URLs that clients cannot open. Each operation and property causes one
 * warning.
 *
 * @param body the response body
 * @param warned the keys of warnings already logged for this operation
 * @param mistakes the set to which warnings are added, for the check
 */
export function warnOfAnswer (
  body: string, { adapterMethod: method, parameters }: Operation, args: readonly unknown[],
  warned: Set<string>, mistakes: Set<string>, log: Log
): void {
  const warn = ({ property, hint }: { property: string, hint: string }, event: string) => {
    if (warned.has(property)) return
    warned.add(property)
    mistakes.add(`${method}: ${hint}`)
    log.warn({ operation: method, property, hint }, event)
  }
  const { data } = JSON.parse(body) as { data: Record<string, unknown> }
  const limit = args[parameters.indexOf('limit')]
  const items = data.items ?? data.tracks
  if (limit !== undefined && Array.isArray(items) && items.length > (limit as number)) {
    const hint = `returned ${items.length} items for a limit of ${limit}: clients show too many, or some twice`
    warn({ property: 'items', hint }, 'page limit exceeded')
  }
  for (const name of ['offset', 'limit']) {
    const asked = args[parameters.indexOf(name)]
    const given = data[name]
    if (asked === undefined || given === undefined || given === asked) continue
    const hint = `returned ${name} ${given} for ${name} ${asked}: a page contains the requested ${name}`
    warn({ property: name, hint }, 'page mismatched')
  }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      const unit = Object.hasOwn(units, name) ? units[name]! : undefined
      const wrong = isUrl.has(name) && typeof member === 'string' ? unopenable(member) : undefined
      if (wrong !== undefined) {
        const hint = `${name} ${wrong}: clients open absolute http and https URLs only`
        warn({ property: name, hint }, 'url not absolute')
      } else if (unit === undefined || typeof member !== 'number') visit(member)
      else if (unit.isWrong(member, value)) {
        warn({ property: name, hint: `${name} ${member} ${unit.words}` }, 'unit mistaken')
      }
    }
  }
  visit(data)
}
