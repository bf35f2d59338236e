import type { FastifyBaseLogger } from 'fastify'
import { isObject } from '../options/is-object.ts'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import { aBoolean, aFunction, aRegExp, milliseconds } from '../options/member-rules.ts'
import { validateFileKind, isFileKind } from './file-kind.ts'
import { isHostPattern } from '../text/host-list.ts'

/** Where media is at this time. */
export interface MediaLocation {
  url: string
  /** Headers that the upstream needs, such as cookies. They go only to the origin of `url`. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Unix milliseconds at which the URL expires. With it the location is kept until a minute before, else not. */
  expires?: number | undefined
  /** Content type, for an upstream that sends none or `application/octet-stream`. */
  type?: string | undefined
}

export interface MediaCall {
  /** Aborted when no request waits for the result any longer, and after `timeout`. */
  signal: AbortSignal
  log: FastifyBaseLogger
  /** The last URL was refused: do not use it again, ask the upstream for another. */
  again: boolean
}

/** One kind of media: where it is, and what may be loaded from there. `Params` are what `mediaUrl` is given for it. */
export interface MediaKind<Params = Record<string, string>> {
  /** Finds the media. Equal calls at the same time share one. */
  resolve (params: Params, call: MediaCall): Promise<MediaLocation> | MediaLocation
  /** Hosts that may be loaded from, redirects included: `name`, `name:port` or `*.name` (any host below it). */
  hosts: readonly string[]
  /**
   * Content types that may be sent. Default: audio, MP4 video, Ogg, JPEG, PNG, GIF, WebP, AVIF and
   * `application/octet-stream`. HTML, SVG, XML and scripts never are.
   */
  types?: RegExp | undefined
  /**
   * The error that an answer of another type is, for an upstream that answers errors with status 200; `undefined` for
   * the default, a 502. It gets the first 64 KiB as text.
   */
  readError?: ((body: string) => Error | undefined) | undefined
  /** Bytes to ask the upstream for at once, for upstreams that refuse long or open ranges. Default: all of them. */
  chunk?: number | undefined
  /** Milliseconds that `resolve`, connecting, and each wait for a byte may take. Default: 15000. */
  timeout?: number | undefined
  /** Allow `http:` and addresses in private networks, for an upstream in one's own. Default: `false`. */
  allowPrivate?: boolean | undefined
  /**
   * Whether the upstream is a service of yours: then the origin of `url` gets the headers of traces and `X-Request-Id`.
   * Default: `false`.
   */
  own?: boolean | undefined
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
  own: { ...aBoolean, optional: true }
}

export function validateKinds (kinds: Readonly<Record<string, unknown>>): void {
  for (const [name, kind] of Object.entries(kinds)) {
    if (isObject(kind) && isFileKind(kind)) validateFileKind(kind, name)
    else validateMembers(kind, rules, `kinds.${name}`)
  }
}

/** Names of kinds, which are part of URLs. */
export const areKinds = (value: unknown) =>
  isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(name => /^[\w-]+$/.test(name))
