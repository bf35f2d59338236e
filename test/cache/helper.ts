import { EventEmitter, once } from 'node:events'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createSourceCache, redisStore, type SourceCacheOptions } from 'fastify-source-origin/cache'
import type { SourceOriginOptions } from 'fastify-source-origin'
import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { authorized, build, dataOf } from '../helper.ts'
import { replace } from '../replace.ts'

/**
 * A clock for the cache that stands still until it is moved. @returns moves it by seconds, `asleep` like a machine that
 * sleeps
 */
export function stopClock (t: Test): (seconds: number, asleep?: boolean) => void {
  // Whole milliseconds, whose sums and differences are exact.
  let now = Math.round(performance.now())
  let wall = Date.now()
  replace(t, performance, 'now', () => now)
  replace(t, Date, 'now', () => wall)
  return (seconds, asleep = false) => {
    if (!asleep) now += seconds * 1000
    wall += seconds * 1000
  }
}

export interface Served {
  app: FastifyInstance
  cache: ReturnType<typeof createSourceCache>
  /** Asks as an account, `ada` by default; `null` has none. */
  ask: (url: string, options?: {
    account?: string | null, variant?: string, headers?: object, method?: 'GET' | 'HEAD' | 'POST', payload?: object
  }) => Promise<LightMyRequestResponse>
  /** How often the adapter was called. */
  calls: () => number
}

/** A source with a cache. Each method of the adapter that is not given answers data of its schema. */
export async function serve (
  t: Test, { adapter = {}, options = {}, plugin = {}, host = {}, register = async () => {} }:
  {
    adapter?: Record<string, (
      ...args: any[]
    ) => unknown>,
    options?: SourceCacheOptions,
    plugin?: Partial<SourceOriginOptions>,
    host?: object,
    register?: (app: FastifyInstance) => Promise<unknown>
  } = {}
): Promise<Served> {
  let calls = 0
  const counted = new Proxy({}, {
    get: (_target, name: string) => typeof adapter[name] === 'function' || /^(?:get|search|user)/.test(name)
      ? async (...args: unknown[]) => {
        calls++
        return adapter[name] === undefined ? dataOf(name as 'getTrackDetail') : adapter[name](...args)
      }
      : undefined
  })
  const cache = createSourceCache(options)
  const app = await build(t, {
    cache,
    resolveContext: ({ request }) => ({
      adapter: counted,
      stateless: false,
      account: request.headers['x-account'] as string | undefined,
      varyBy: request.headers['x-variant'] as string | undefined
    }),
    ...plugin
  }, host)
  await register(app)
  return {
    app,
    cache,
    calls: () => calls,
    ask: async (url, { account = 'ada', variant, headers = {}, ...more } = {}) => app.inject({
      url,
      ...more,
      headers: {
        ...authorized,
        ...account !== null && { 'x-account': account },
        ...variant !== undefined && { 'x-variant': variant },
        ...headers
      }
    })
  }
}

const album = { id: 'a', name: 'A', coverUrl: '' }
export const track = { id: '1', title: 'One', artists: [], album, durationMs: 1000 }

/** Options that redisStore wants of its client. */
export const redisOptions = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 20 }

/** A client of Redis whose duplicate says when it is subscribed, and what came over it. */
export async function redisClient (t: Test, url: string, options: object = redisOptions) {
  const client = new Redis(url, options)
  client.on('error', () => {})
  t.teardown(() => client.disconnect())
  const events = new EventEmitter()
  const duplicate = client.duplicate.bind(client)
  client.duplicate = override => {
    const subscriber = duplicate(override)
    const subscribe = subscriber.subscribe.bind(subscriber) as (channel: string) => Promise<unknown>
    subscriber.subscribe = (async (channel: string) => {
      const answer = await subscribe(channel)
      setImmediate(() => events.emit('subscribed'))
      return answer
    }) as typeof subscriber.subscribe
    subscriber.on('close', () => events.emit('closed'))
    subscriber.on('message', (_channel, message) => setImmediate(() => events.emit('message', JSON.parse(message))))
    return subscriber
  }
  await once(client, 'ready')
  return { client, events }
}

/** A replica of a source: the given options, with a store in Redis that is ready. */
export async function replica (t: Test, url: string, { options = {}, ...more }: Parameters<typeof serve>[1] = {}) {
  const { client, events } = await redisClient(t, url)
  const subscribed = once(events, 'subscribed')
  const served = await serve(t, { ...more, options: { ...options, store: redisStore(client, { prefix: 'test:' }) } })
  await served.app.ready()
  await subscribed
  return { ...served, client, events }
}
