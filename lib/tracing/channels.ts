import { channel, tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import type { AdapterMethod, ReadMethod } from '../contract/operations.ts'

/** The properties of every message of a tracing channel after the end of its call, in the event `asyncEnd`. */
export interface TracedCall {
  /** 200, or the status of the error for clients: 500 for an error without a status. */
  status?: number
  /** The error without the caller's secrets, and without the queries and logins of URLs. */
  error?: Error
}

/** The state of a run: it waits for a slot, has a slot, or is paused between two slots. */
export type TranscoderState = 'waiting' | 'running' | 'held'

/** The messages of the channels by the end of their names, which begin with `fastify-source-origin.`. */
export interface ChannelMessages {
  /** A call of `resolveContext`. */
  context: TracedCall & {
    /** The account of the returned context. */
    account?: string | undefined
  }
  /** An operation that a client requested, from the cache or the adapter. */
  operation: TracedCall & { readonly operation: AdapterMethod, readonly account?: string | undefined }
  /** A call of an adapter method. */
  adapter: TracedCall & { readonly operation: AdapterMethod, readonly account?: string | undefined }
  /** A cache event; not a tracing channel. */
  cache: { readonly type: 'hit' | 'stale' | 'miss' | 'shared' | 'error', readonly operation: ReadMethod }
  /** A rejected request or a closed connection by `protection` of `serveSource`; not a tracing channel. */
  refusal: { readonly reason: string }
  /** An attempt of a call of an upstream. */
  upstream: TracedCall & {
    /** The option `name` of `createUpstream`. */
    readonly upstream: string
    readonly method: string
    /** The scheme, host and port. */
    readonly origin: string
    /** The path without the query. */
    readonly path: string
    readonly account?: string | undefined
    /** The number of the attempt, from 1. */
    readonly attempt: number
    /** Present for an upstream with the option `own`: headers that a subscriber of `start` adds are sent. */
    readonly headers?: Record<string, string>
    /** The reason of a missing response, for example `ECONNREFUSED`. */
    code?: string | undefined
  }
  /** A call of `refresh` for a session of an account. */
  session: TracedCall & { readonly account: string }
  /** A response of `mediaProxy`, until the end of its body. */
  media: TracedCall & {
    readonly kind: string
    /** The number of bytes of the body. */
    bytes?: number
    /** The number of calls of `resolve`. */
    resolutions?: number
    /** Present for a kind with the option `own`: headers that a subscriber of `start` adds are sent to its upstream. */
    readonly headers?: Record<string, string>
  }
  /** A run of ffmpeg. */
  transcode: TracedCall & { readonly format: string }
  /**
   * A hit in a transcoder's storage, or the next state of a run. `from` is `undefined` at its beginning, `to` at its
   * end.
   */
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
