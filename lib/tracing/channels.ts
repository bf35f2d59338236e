import { channel, tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import type { AdapterMethod, ReadMethod } from '../contract/operations.ts'

/** What every message of a tracing channel has when its call is over, which the event `asyncEnd` tells. */
export interface TracedCall {
  /** 200, or the status of the error as clients would get it: 500 for one without a status. */
  status?: number
  /** Without the caller's secrets, and without the queries and logins of URLs. */
  error?: Error
}

/** Messages of the channels by the end of their names, which begin with `fastify-source-origin.`. */
/** A run waits for a slot, has one, or is held between two. */
export type TranscoderState = 'waiting' | 'running' | 'held'

export interface ChannelMessages {
  /** A call of `resolveContext`. */
  context: TracedCall & {
    /** Of the context that it gave. */
    account?: string | undefined
  }
  /** An operation that a client asked for, from the cache or the adapter. */
  operation: TracedCall & { readonly operation: AdapterMethod, readonly account?: string | undefined }
  /** A call of an adapter method. */
  adapter: TracedCall & { readonly operation: AdapterMethod, readonly account?: string | undefined }
  /** What the cache did with a question; no tracing channel. */
  cache: { readonly type: 'hit' | 'stale' | 'miss' | 'shared' | 'error', readonly operation: ReadMethod }
  /** What the `door` of `serveSource` has refused or ended; no tracing channel. */
  refusal: { readonly reason: string }
  /** One attempt of a call of an upstream. */
  upstream: TracedCall & {
    /** The option `name` of `createUpstream`. */
    readonly upstream: string
    readonly method: string
    /** Scheme, host and port. */
    readonly origin: string
    /** Without the query. */
    readonly path: string
    readonly account?: string | undefined
    /** 1 is the first. */
    readonly attempt: number
    /** Of an upstream with the option `own`: headers that a subscriber of `start` adds are sent. */
    readonly headers?: Record<string, string>
    /** Why there is no answer, for example `ECONNREFUSED`. */
    code?: string | undefined
  }
  /** A call of `refresh` for a session of an account. */
  session: TracedCall & { readonly account: string }
  /** An answer of `mediaProxy`, to the end of its body. */
  media: TracedCall & {
    readonly kind: string
    /** Of the body. */
    bytes?: number
    /** Calls of `resolve`. */
    resolutions?: number
    /** Of a kind with the option `own`: headers that a subscriber of `start` adds are sent to its upstream. */
    readonly headers?: Record<string, string>
  }
  /** A run of ffmpeg. */
  transcode: TracedCall & { readonly format: string }
  /** What a transcoder had stored, or the next state of a run; `from` nothing it begins, `to` nothing it ends. */
  transcoder: { readonly format: string } & (
    | { readonly type: 'hit' }
    | { readonly type: 'run', readonly from: TranscoderState | undefined, readonly to: TranscoderState | undefined }
  )
}

/** The tracing channels. */
type TracedName = Exclude<keyof ChannelMessages, 'cache' | 'refusal' | 'transcoder'>
type Channels = { readonly [Name in TracedName]: TracingChannel<unknown, ChannelMessages[Name]> }

/** @param name end of a channel's name */
export const channelName = (name: string): string => `fastify-source-origin.${name}`

const names =
  ['context', 'operation', 'adapter', 'upstream', 'session', 'media', 'transcode'] as const satisfies TracedName[]

export const channels =
  Object.fromEntries(names.map(name => [name, tracingChannel(channelName(name))])) as object as Channels

export const cacheChannel = channel(channelName('cache'))
export const refusalChannel = channel(channelName('refusal'))
export const transcoderChannel = channel(channelName('transcoder'))
