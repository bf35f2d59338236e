import leven from 'leven'
import { settingNames } from '../start/settings.ts'

/** Variables that only fastify-cli reads. */
const ofFastifyCli = [
  'FASTIFY_ADDRESS', 'FASTIFY_CLOSE_GRACE_DELAY', 'FASTIFY_LOG_LEVEL', 'FASTIFY_PLUGIN_TIMEOUT',
  'FASTIFY_PRETTY_LOGS', 'FASTIFY_SOCKET'
]

/** Returns how many letters may differ. Short names resemble variables of other programs, such as PAGER. */
const mostDifferent = (name: string): number => name.length < 6 ? 0 : name.length < 9 ? 1 : 2

/**
 * Returns warnings about environment variables, one line each, without their values. A variable is reported if its name
 * resembles the name of an unset setting, or if it is blank and decides in which database accounts are stored.
 */
export function misspeltSettings (env: NodeJS.ProcessEnv): string[] {
  const known = [...settingNames, ...ofFastifyCli]
  const unset = known.filter(name => env[name] === undefined)
  const blank = ['DATABASE_URL'].filter(name => env[name] === '')
    .map(name => `${name} is set and blank: accounts are kept in state.sqlite`)
  const misspelt = Object.keys(env).filter(name => !known.includes(name)).flatMap(name => {
    const upper = name.toUpperCase()
    // The limit saves time: a distance above 3 counts as 3.
    const [near] = unset.map(other => ({ other, distance: leven(upper, other, { maxDistance: 3 }) }))
      .filter(({ other, distance }) => distance <= mostDifferent(other))
      .sort((a, b) => a.distance - b.distance)
    return near === undefined ? [] : [`${name} is no setting: did you mean ${near.other}?`]
  })
  return [...misspelt, ...blank]
}
