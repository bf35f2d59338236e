import { XMLParser } from 'fast-xml-parser'
import fastify, { type FastifyInstance, type FastifyHttpOptions, type LightMyRequestResponse } from 'fastify'
import type {
  Album, Artist, ResolveContext, SourceAdapter, SourceContext, SourceLibrary, Track
} from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import subsonic, { type SubsonicOptions, type SubsonicStore } from 'fastify-source-origin/subsonic'
import { createHash } from 'node:crypto'
import { request, type ClientRequest, type Server } from 'node:http'
import type { Test } from 'tap'
import { register } from '../../lib/routes/index.ts'
import { Source } from '../../lib/source/source.ts'
import { times } from '../../lib/library/generated-library.ts'
import { mostItems } from '../../lib/library/parts-reader.ts'
import { token } from '../helper.ts'
import { replace } from '../replace.ts'
import { createReferenceAdapter } from '../reference-source.ts'
import { checkEnvelope } from './answer-schema.ts'

export { token }

/** That of the reference source. */
export const adapter = createReferenceAdapter(() => 'http://localhost')

export const ids = (items: { id: string }[]) => items.map(({ id }) => id)

/** A Fastify that takes the long URLs of Subsonic apps. */
export const roomy: FastifyHttpOptions<Server> = { http: { maxHeaderSize: 262_144 } }

interface SourceParts { resolveContext: ResolveContext, adapterTimeout?: number }

/** A source as `sourceOrigin` registers it, which mends, without its routes: these take longer than most tests. */
export function registerSource (
  app: FastifyInstance, { resolveContext, adapterTimeout = 30_000 }: SourceParts, prefix = ''
): void {
  const source = new Source({ cache: undefined, validateResponses: false, log: app.log })
  register(app, 'fastify-source-origin', prefix).source = { source, resolveContext, adapterTimeout }
  app.addHook('onClose', () => source.close())
}

type Lists<T> = Iterable<T> | (() => Iterable<T>)

/** What a library in memory is made of, in any form of lists. */
interface Listed {
  artists?: Lists<Artist>
  albums?: Lists<Album>
  tracks?: Lists<Track>
}

const arrayOf = <T>(list: Lists<T> = []): T[] => [...typeof list === 'function' ? list() : list]

/** A library that is made of lists when it is first asked, and again when `revision` is another one. */
export function libraryOf (make: () => Listed, revision = () => '1'): SourceLibrary {
  let made: { library: SourceLibrary, revision: string } | undefined
  const library = () => {
    if (made?.revision === revision()) return made.library
    const { artists, albums, tracks } = make()
    const lists = { artists: arrayOf(artists), albums: arrayOf(albums), tracks: arrayOf(tracks) }
    made = { library: createLibrary(lists), revision: revision() }
    return made.library
  }
  return {
    ids: (...query) => library().ids(...query),
    items: (...query) => library().items(...query),
    facets: (...query) => library().facets(...query),
    get revision () { return revision() },
    changedAt: 1_700_000_000_000
  }
}

type Options = Partial<Omit<SubsonicOptions, 'limits'> & SourceParts> & {
  limits?: Partial<typeof mostItems & typeof times>
  adapter?: object
  context?: Partial<SourceContext>
  /** Lists of all the music of the adapter, which is its library then. */
  library?: () => Listed
  revision?: () => string
}

/**
 * A host with the Subsonic server over an adapter, stateful, whose password is the token. Closed when the test ends.
 */
export async function serve (
  t: Test,
  {
    adapter: methods = {}, context = {}, library, revision, resolveContext, adapterTimeout, limits = {}, ...options
  }: Options = {},
  host: FastifyHttpOptions<Server> = roomy
): Promise<FastifyInstance> {
  const app = fastify(host)
  t.teardown(() => app.close())
  const { ttl, maxWait = times.maxWait, ...others } = limits
  replace(t, times, 'maxWait', maxWait)
  for (const [name, value] of Object.entries(others)) replace(t, mostItems, name as keyof typeof others, value)
  const adapter = library === undefined ? methods : { ...methods, library: libraryOf(library, revision) }
  registerSource(app, {
    resolveContext: resolveContext ?? (({ authorization }) =>
      authorization === token ? { adapter: adapter as SourceAdapter, stateless: false, ...context } : null),
    ...adapterTimeout !== undefined && { adapterTimeout }
  }, options.prefix)
  await app.register(subsonic, {
    resolveLogin: ({ verify }) => verify(token) ? token : null, ...options, ...ttl !== undefined && { limits: { ttl } }
  })
  return app
}

/** A store whose texts are in a map. */
export const storeIn = (kept: Map<string, string | undefined>): SubsonicStore => ({
  get: async key => kept.get(key),
  change: async (key, update) => { kept.set(key, update(kept.get(key))) }
})

type Value = string | number | boolean | readonly (string | number)[] | undefined
export type Query = Record<string, Value>

export const login = { u: 'ada', p: token, c: 'test', v: '1.16.1' }
export const tokenLogin = (secret = token, s = 'c19b2d') =>
  ({ u: 'ada', t: createHash('md5').update(secret + s).digest('hex'), s })

export function queryOf (parameters: Query): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const item of [value].flat()) if (item !== undefined) query.append(name, String(item))
  }
  return query.toString()
}

/** A call with the right login. */
export const get = (app: FastifyInstance, method: string, parameters: Query = {}): Promise<LightMyRequestResponse> =>
  app.inject(`/rest/${method}?${queryOf({ ...login, ...parameters })}`)

/**
 * A call through a connection of its own, whose client leaves when it is destroyed. `fetch` connects again after that,
 * for later calls, and the server waits for that connection when it closes.
 */
export const callOnce = (app: FastifyInstance, method: string, parameters: Query = {}): ClientRequest =>
  request(`${app.listeningOrigin}/rest/${method}?${queryOf({ ...login, ...parameters })}`, { agent: false })
    .on('error', () => {}).end()

/** What the envelope of a call in JSON holds, which is as OpenSubsonic documents it for apps that know it. */
export async function ask (app: FastifyInstance, method: string, parameters: Query = {}): Promise<any> {
  const answer = (await get(app, method, { f: 'json', ...parameters })).json()['subsonic-response']
  if (parameters.v === undefined) checkEnvelope(answer)
  return answer
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (_name, _path, _isLeaf, isAttribute) => !isAttribute
})

/** The root element of an XML answer: attributes begin with `@`, every child is a list. */
export const parseXml = (xml: string): any => withText(parser.parse(xml)['subsonic-response'][0])

function withText (element: any): any {
  if (typeof element === 'string') return { '#text': element }
  const members = Object.entries<any>(element).map(([name, member]) =>
    [name, Array.isArray(member) ? member.map(withText) : member])
  return { '#text': '', ...Object.fromEntries(members) }
}

const unattributed = ['albumInfo', 'artistInfo', 'artistInfo2']

/** What the XML of a JSON answer must parse to. */
export function expectedXml (value: any, name = 'subsonic-response'): any {
  if (typeof value !== 'object') return { '#text': String(value) }
  const element: any = { '#text': '' }
  for (const [key, member] of Object.entries<any>(value)) {
    if (Array.isArray(member)) {
      if (member.length > 0) element[key] = member.map(item => expectedXml(item, key))
    } else if (typeof member === 'object') element[key] = [expectedXml(member, key)]
    else if (unattributed.includes(name)) element[key] = [{ '#text': String(member) }]
    else if (key === 'value' && name !== 'cueLine') element['#text'] = String(member)
    else element[`@${key}`] = String(member)
  }
  return element
}
