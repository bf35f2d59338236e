import type { Log } from './caller.ts'
import { capabilities } from '../contract/capabilities.ts'
import { didYouMean } from '../options/did-you-mean.ts'
import { isObject } from '../options/is-object.ts'
import { operations, type AdapterMethod } from '../contract/operations.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { SourceExtras } from '../contract/source-extras.ts'
import type { RequestContext, SourceContext } from '../contract/source-context.ts'
import { libraryFault } from './cached-library.ts'

/** Former method names of the contract (docs/reference/contract.md, Capabilities). */
const renamed: Readonly<Record<string, AdapterMethod>> = Object.freeze({
  getTrackRoam: 'getRoamTracks',
  getTrackLyric: 'getTrackLyrics',
  getPersonalFM: 'getRoamTracks'
})

const extras: Record<keyof SourceExtras, true> = {
  library: true,
  onPlay: true,
  getPlays: true,
  editPlaylist: true,
  setFavorites: true,
  getPlaylistSharing: true,
  sharePlaylist: true,
  startScan: true,
  getScanStatus: true
}

const known: readonly string[] = [...operations.map(({ adapterMethod }) => adapterMethod), ...Object.keys(extras)]

/** Returns the names of the methods of an object, own and inherited. Getters are not run. */
function methodNames (object: object): Set<string> {
  const names = new Set<string>()
  let level: object | null = object
  for (; level !== null && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (typeof value === 'function') names.add(name)
    }
  }
  return names
}

const statefulMethods = operations.filter(({ stateful }) => stateful).map(({ adapterMethod }) => adapterMethod)

/**
 * Returns warnings for the author of an adapter: misspelled method names, properties that should be methods, and
 * methods of accounts that a context without `stateless` never calls.
 */
function findings (adapter: SourceAdapter, { stateless }: Partial<SourceContext>): string[] {
  const names = methodNames(adapter)
  const unknown = [...names].filter(name => !known.includes(name)).flatMap(name => {
    const now = Object.hasOwn(renamed, name) ? renamed[name] : undefined
    if (now !== undefined) return `Adapter method ${name} was renamed to ${now} and is never called`
    const meant = didYouMean(name, known)
    if (meant === undefined || names.has(meant)) return []
    return `Adapter method ${name} is never called: did you mean ${meant}?`
  })
  const noMethods = operations.flatMap(({ adapterMethod: name }) => {
    const member: unknown = adapter[name]
    return member === undefined || member === null || typeof member === 'function'
      ? []
      : `Adapter member ${name} is never called: it is not a function`
  })
  const idle = stateless === undefined ? statefulMethods.filter(name => typeof adapter[name] === 'function') : []
  const found = [...unknown, ...noMethods]
  if (idle.length === 0) return found
  return [...found,
    `Adapter methods for accounts are never called (${idle.join(', ')}): the context lacks stateless: false`]
}

/** Returns warnings for an adapter that cannot be what the author meant. */
function unusable (adapter: SourceAdapter): string[] {
  const names = methodNames(adapter)
  const { library } = adapter
  const fault = library === undefined || library === null ? undefined : libraryFault(library)
  const isContext = isObject((adapter as { adapter?: unknown }).adapter)
  const isEmpty = !library && names.size > 0 && !known.some(name => names.has(name))
  return [
    fault === undefined ? [] : `${fault}: each list is an error`,
    isContext ? 'adapter of the context has a member adapter: give this one' : [],
    isEmpty && !isContext ? 'Adapter has no method of the contract and no library' : []
  ].flat()
}

/** Returns warnings for capabilities of which only some methods exist. A source may intend that. */
const partialCapabilities = (adapter: SourceAdapter): string[] => capabilities.flatMap(({ name, methods }) => {
  const missing = methods.filter(method => typeof adapter[method] !== 'function')
  return missing.length === 0 || missing.length === methods.length
    ? []
    : `Capability ${name} is not declared: the adapter lacks ${missing.join(', ')}`
})

const members: Record<keyof SourceContext, true> = {
  adapter: true,
  stateless: true,
  qualityMap: true,
  playlistSortOptions: true,
  account: true,
  revision: true,
  varyBy: true,
  accountName: true,
  sharesPlaying: true,
  limits: true
}

/** Returns warnings for misspelled properties of a context. Other unknown properties are the author's own. */
function contextFindings (context: Partial<SourceContext>): string[] {
  const stateless: unknown = context.stateless ?? true
  const odd = typeof stateless === 'boolean'
    ? []
    : [`stateless of the context is a ${typeof stateless}, and stands for true: give true or false`]
  const lists = (['qualityMap', 'playlistSortOptions'] as const)
    .filter(name => context[name]?.some((option: unknown) => !isObject(option)))
    .map(name => `${name} of the context has entries that are ignored: give objects with a key`)
  return Object.keys(context).filter(name => !Object.hasOwn(members, name)).flatMap(name => {
    const meant = didYouMean(name, Object.keys(members))
    return meant === undefined || Object.hasOwn(context, meant)
      ? []
      : `Member ${name} of the context is never read: did you mean ${meant}?`
  }).concat(odd, lists)
}

/**
 * The maximum number of shapes that get warnings. Without it, objects whose property names change with each request
 * would cause warnings forever.
 */
const mostShapes = 100

/**
 * Creates a function that warns about an adapter and its context, once for each class of adapters, or once for each set
 * of property names of objects without a class.
 *
 * @param mistakes the set to which warnings about unused methods and properties are added
 */
export function createAdapterWarnings (
  mistakes: Set<string>
): (adapter: SourceAdapter, context: object, log: Log) => void {
  const seen = new WeakSet<object>()
  const shapes = new Set<string>()
  const isKnownShape = (adapter: object) => {
    const shape = [Object.getPrototypeOf(adapter) === null, ...Object.keys(adapter)].join()
    if (shapes.has(shape) || shapes.size === mostShapes) return true
    shapes.add(shape)
    return false
  }
  // Most requests have the same kind of adapter as the preceding request, and a comparison is faster than a look-up.
  let latest: object | undefined
  return (adapter, context, log) => {
    const prototype: object | null = Object.getPrototypeOf(adapter)
    const kind = prototype === null || prototype === Object.prototype ? adapter : prototype
    if (kind === latest) return
    latest = kind
    if (seen.has(kind)) return
    seen.add(kind)
    if (kind === adapter && isKnownShape(adapter)) return
    try {
      const ofContext = contextFindings(context)
      const ofAdapter = findings(adapter, context)
      const ofWhole = ofAdapter.length > 0 ? [] : unusable(adapter)
      for (const hint of [...ofContext, ...ofAdapter, ...ofWhole]) mistakes.add(hint)
      for (const hint of ofWhole) log.warn({ hint }, 'adapter unusable')
      for (const hint of ofContext) log.warn({ hint }, 'context property ignored')
      for (const hint of ofAdapter) log.warn({ hint }, 'adapter method ignored')
      for (const hint of partialCapabilities(adapter)) log.warn({ hint }, 'capability incomplete')
    } catch {
      // A property that throws when it is read fails only the requests that need it.
    }
  }
}

/**
 * Creates a function that warns once about an adapter, and once about a library, of two accounts: one account would see
 * the favourites of the other.
 */
export function createSharingWarnings (mistakes: Set<string>): (context: RequestContext, log: Log) => void {
  const owners = new WeakMap<object, string>()
  const warned = new Set<string>()
  return ({ adapter, account, stateless }, log) => {
    if (stateless || account === undefined) return
    // Getters are not run.
    const library: unknown = Object.getOwnPropertyDescriptor(adapter, 'library')?.value
    for (const [name, object] of Object.entries({ adapter, library })) {
      if (typeof object !== 'object' || object === null) continue
      const owner = owners.get(object)
      if (owner === undefined) owners.set(object, account)
      if (owner === undefined || owner === account || warned.has(name)) continue
      warned.add(name)
      const hint = `The ${name} of two accounts is the same object: create one for each, or set stateless: true`
      mistakes.add(hint)
      log.warn({ hint }, 'adapter shared')
    }
  }
}
