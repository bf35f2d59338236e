import fastify from 'fastify'
import {
  extras, type Album, type Artist, type LibraryCall, type SourceContext, type SourceLibrary, type Track
} from 'fastify-source-origin'
import { createSourceClient, type Status } from 'fastify-source-origin/client'
import { createSourceLibrary, pathThrough, type SourceLibraryOptions } from 'fastify-source-origin/combine'
import { createLibrary } from 'fastify-source-origin/library'
import serveSource from 'fastify-source-origin/serve'
import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Test } from 'tap'
import { pace } from '../../lib/library/paced.ts'

pace.between = 0

export const call: LibraryCall = { signal: new AbortController().signal }

export const artistOf = (name: string): Artist => ({ id: `ar-${name}`, name: `Artist ${name}` })
export const albumOf = (name: string, more: object = {}): Album => ({
  id: `al-${name}`,
  name: `Album ${name}`,
  coverUrl: '',
  artistName: `Artist ${name}`,
  [extras]: { artists: [{ id: `ar-${name}`, name: `Artist ${name}` }], genres: ['Folk'], year: 2001 },
  ...more
})
export const trackOf = (name: string, number: number, more: object = {}): Track => ({
  id: `${name}${number}`,
  title: `Song ${name}${number}`,
  artists: [artistOf(name)],
  album: albumOf(name),
  durationMs: 9,
  [extras]: { track: number },
  ...more
})

/** A library with an album of as many songs for each name. */
export const libraryOf = (names: readonly string[], songs = 3): SourceLibrary => createLibrary({
  artists: names.map(artistOf),
  albums: names.map(name => albumOf(name)),
  tracks: names.flatMap(name => Array.from({ length: songs }, (_empty, at) => trackOf(name, at + 1)))
})

/** A request to a friend's source, and a function that changes the response. */
interface Friend {
  readonly requests: { readonly path: string, readonly headers: IncomingHttpHeaders }[]
  isDown: boolean
  context: (headers: IncomingHttpHeaders) => SourceContext | null
  /** Changes the response to a request of the library. */
  edit?: ((part: any, url: URL) => unknown) | undefined
}

/** Starts the source of a friend with a page, which is called without a network. */
export async function startFriend (t: Test, adapter: object, { page = {} }: { page?: false | object } = {}) {
  const friend: Friend = {
    requests: [],
    isDown: false,
    context: ({ authorization }) => authorization === 'good' ? { adapter, account: 'me', stateless: false } : null
  }
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(serveSource, { resolveContext: ({ request }) => friend.context(request.headers), page })
  const fetch = async (input: string, { method, headers, body }: any) => {
    const url = new URL(input)
    friend.requests.push({ path: url.pathname, headers })
    if (friend.isDown) throw new TypeError('fetch failed')
    const reply = await app.inject({
      method, url: url.pathname + url.search, headers, ...body !== undefined && { payload: body }
    })
    const isEdited = url.pathname === '/page/library' && friend.edit !== undefined
    const { data } = isEdited ? reply.json() : {}
    const sent = isEdited ? JSON.stringify({ code: 200, data: friend.edit!(data, url) }) : reply.body
    const missing = reply.headers['source-partial']
    return new Response(sent, {
      status: reply.statusCode,
      headers: { 'content-type': 'application/json', ...missing !== undefined && { 'source-partial': String(missing) } }
    })
  }
  return { app, friend, fetch: fetch as unknown as typeof globalThis.fetch }
}

interface Visit extends Partial<SourceLibraryOptions> { authorization?: string, baseUrl?: string, status?: Status }

/** Opens the stored library of a friend. `source` returns the source of one request. */
export async function visit (
  t: Test, { fetch }: Pick<Awaited<ReturnType<typeof startFriend>>, 'fetch'>, options: Visit = {}
) {
  const { authorization = 'good', baseUrl = 'http://friend.example', status: given, ...more } = options
  const client = createSourceClient({ baseUrl, authorization, fetch })
  const path = pathThrough({}, 'me')!
  const stored = createSourceLibrary(client, { path, ...more })
  t.teardown(() => stored.close())
  const status = given ?? await client.status()
  return { stored, status, source: async (by = path) => stored.addTo(await client.offered({ status, path: by })) }
}

/** Waits for what happens in the background. */
export async function until (holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!await holds()) await setImmediate()
}

/** Waits until a library was read. */
export async function readBy ({ source }: Pick<Awaited<ReturnType<typeof visit>>, 'source'>) {
  await until(async () => (await source()).adapter.library?.revision !== '')
  return source()
}
