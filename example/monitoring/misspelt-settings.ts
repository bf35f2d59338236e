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
 * Returns environment variables that have no effect, with a hint, without their values: their name resembles the name
 * of an unset setting, or they are blank and decide in which database accounts are stored.
 */
export function misspeltSettings (env: NodeJS.ProcessEnv): { readonly setting: string, readonly hint: string }[] {
  const known = [...settingNames, ...ofFastifyCli]
  const unset = known.filter(name => env[name] === undefined)
  const blank = ['DATABASE_URL'].filter(name => env[name] === '')
    .map(setting => ({ setting, hint: 'Set it, or remove it to store accounts in state.sqlite' }))
  const misspelt = Object.keys(env).filter(name => !known.includes(name)).flatMap(name => {
    const upper = name.toUpperCase()
    // The limit saves time: a distance above 3 counts as 3.
    const [near] = unset.map(other => ({ other, distance: leven(upper, other, { maxDistance: 3 }) }))
      .filter(({ other, distance }) => distance <= mostDifferent(other))
      .sort((a, b) => a.distance - b.distance)
    return near === undefined ? [] : { setting: name, hint: `Did you mean ${near.other}?` }
  })
  return [...misspelt, ...blank]
}
