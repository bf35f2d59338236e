import type { FastifyBaseLogger } from 'fastify'
import { isObject } from '../options/is-object.ts'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import { aBoolean, aFunction, aRegExp, milliseconds } from '../options/member-rules.ts'
import { validateFileKind, isFileKind } from './file-kind.ts'
import { isHostPattern } from '../text/host-list.ts'

/** The current location of media. */
export interface MediaLocation {
  url: string
  /** Headers that the upstream requires, such as cookies. They are sent only to the origin of `url`. */
  headers?: Readonly<Record<string, string>> | undefined
  /** The time when the URL expires, in Unix milliseconds. If set, the location is cached until a minute before. */
  expiresAt?: number | undefined
  /** The content type, used if the upstream sends none or `application/octet-stream`. */
  type?: string | undefined
}

export interface MediaCall {
  /** Aborted when no request waits for the result any longer, or after `timeout`. */
  signal: AbortSignal
  log: FastifyBaseLogger
  /** If `true`, the upstream rejected the last URL. Do not reuse it; request a new one. */
  isRetry: boolean
  /** The status with which the upstream rejected the last URL: 401, 403, 404 or 410. */
  status?: number | undefined
}

/**
 * A kind of media: its location, and the content that may be loaded from it. `Params` are the params that `mediaUrl`
 * accepts for it.
 */
export interface MediaKind<Params = Record<string, string>> {
  /** Finds the media. Concurrent identical calls share one result. */
  resolve (params: Params, call: MediaCall): Promise<MediaLocation> | MediaLocation
  /** Hosts that the proxy may load from, also after redirects: `name`, `name:port` or `*.name` (any subdomain). */
  hosts: readonly string[]
  /**
   * Content types that may be sent. Default: audio, MP4 video, Ogg, JPEG, PNG, GIF, WebP, AVIF and
   * `application/octet-stream`. HTML, SVG, XML and scripts are never sent.
   */
  types?: RegExp | undefined
  /**
   * Creates the error for a response of another type, for an upstream that sends errors with status 200. It receives
   * the first 64 KiB as a string. `undefined` selects the default, a 502.
   */
  readError?: ((body: string) => Error | undefined) | undefined
  /** The maximum bytes per upstream request, for upstreams that reject long or open ranges. Default: unlimited. */
  chunk?: number | undefined
  /** The timeout in milliseconds of `resolve`, of connecting, and of each wait for a byte. Default: 15000. */
  timeout?: number | undefined
  /**
   * If `true`, `http:` and addresses in private networks are allowed, for an upstream in your network. Default:
   * `false`.
   */
  allowPrivate?: boolean | undefined
  /**
   * If `true`, the upstream is a service of yours, and the origin of `url` receives trace headers and `X-Request-Id`.
   * Default: `false`.
   */
  trusted?: boolean | undefined
}

const rules: Record<keyof MediaKind, MemberRule> = {
  resolve: aFunction,
  hosts: {
    must: 'a list of one or more hosts, each "name", "name:port" or "*.name"',
    holds: value => Array.isArray(value) && value.length > 0 && value.every(isHostPattern)
  },
  types: { ...aRegExp, optional: true },
  readError: { ...aFunction, optional: true },
  chunk: {
    optional: true,
    must: 'a number of bytes, an integer of 1 or more',
    holds: value => Number.isSafeInteger(value) && Number(value) >= 1
  },
  timeout: { ...milliseconds(1), optional: true },
  allowPrivate: { ...aBoolean, optional: true },
  trusted: { ...aBoolean, optional: true }
}

export function validateKinds (kinds: Readonly<Record<string, unknown>>): void {
  for (const [name, kind] of Object.entries(kinds)) {
    if (isObject(kind) && isFileKind(kind)) validateFileKind(kind, name)
    else validateMembers(kind, rules, `kinds.${name}`)
  }
}

/** Returns whether all names of kinds can be part of a URL. */
export const areKinds = (value: unknown) =>
  isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(name => /^[\w-]+$/.test(name))
