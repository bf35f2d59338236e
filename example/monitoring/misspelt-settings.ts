import leven from 'leven'
import { settingNames } from '../start/settings.ts'

/** What fastify-cli reads besides. */
const ofFastifyCli = [
  'FASTIFY_ADDRESS', 'FASTIFY_CLOSE_GRACE_DELAY', 'FASTIFY_LOG_LEVEL', 'FASTIFY_PLUGIN_TIMEOUT',
  'FASTIFY_PRETTY_LOGS', 'FASTIFY_SOCKET'
]

/** Letters that may differ: short names are near to those of other programs, such as PAGER. */
const mostDifferent = (name: string): number => name.length < 6 ? 0 : name.length < 9 ? 1 : 2

/**
 * A line for each variable that is no setting, and nearly one that is not set, and for one that is set to nothing
 * where that decides where accounts are kept. Values stay out of it.
 */
export function misspeltSettings (env: NodeJS.ProcessEnv): string[] {
  const known = [...settingNames, ...ofFastifyCli]
  const unset = known.filter(name => env[name] === undefined)
  const blank = ['DATABASE_URL'].filter(name => env[name] === '')
    .map(name => `${name} is set and blank: accounts are kept in state.sqlite`)
  const misspelt = Object.keys(env).filter(name => !known.includes(name)).flatMap(name => {
    const upper = name.toUpperCase()
    // A distance above 3 counts as 3, which takes less time to find.
    const [near] = unset.map(other => ({ other, distance: leven(upper, other, { maxDistance: 3 }) }))
      .filter(({ other, distance }) => distance <= mostDifferent(other))
      .sort((a, b) => a.distance - b.distance)
    return near === undefined ? [] : [`${name} is no setting: did you mean ${near.other}?`]
  })
  return [...misspelt, ...blank]
}
