import { setMaxListeners } from 'node:events'
// Imported by its file: Bun replaces the package by its own implementation, which ignores the options.
import { Agent, EnvHttpProxyAgent, ProxyAgent, type Dispatcher } from 'undici/index.js'
import { handled } from '../async/handled.ts'
import { UpstreamError } from '../contract/errors.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { UpstreamCalls, type Reader, type Scope } from './call-upstream.ts'
import { validateMembers } from '../options/validate-members.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { withoutTrailingSlashes } from '../text/without-trailing-slashes.ts'
import { upstreamError } from '../errors/upstream-error.ts'
import { optionRules, scopeRules } from './option-rules.ts'
import { mergeHeaders } from './prepare-request.ts'
import type {
  ValidUpstream, Upstream, UpstreamResponse, UpstreamOptions, UpstreamRequest, UpstreamScope, UpstreamStats
} from './upstream.ts'

const defaults = {
  name: 'upstream',
  trusted: false,
  timeout: 8000,
  budget: 25_000,
  retries: 2,
  concurrency: 16,
  accountConcurrency: 6,
  breaker: true,
  maxBody: 8 * 1024 * 1024
} as const

/**
 * Creates an HTTP client for the service behind a source: with timeouts, retries, cool-downs, limits and a circuit
 * breaker.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createUpstream (options: UpstreamOptions): Upstream {
  validateMembers(options, optionRules)
  if (options.dispatcher !== undefined && options.proxy !== undefined) {
    throw invalidOption('proxy', 'left out where there is a dispatcher')
  }
  const valid: ValidUpstream = {
    ...defaults,
    ...withoutUndefined(options),
    headers: mergeHeaders(options.headers),
    baseUrl: withoutTrailingSlashes(options.baseUrl)
  }
  return new UpstreamClient(new UpstreamCalls(valid, options.dispatcher ?? createDispatcher(valid)))
}

function createDispatcher ({ proxy, concurrency, timeout }: ValidUpstream): Dispatcher {
  const options = { connections: concurrency, connect: { timeout } }
  if (proxy === undefined) return new Agent(options)
  return proxy === true ? new EnvHttpProxyAgent(options) : new ProxyAgent({ ...options, uri: proxy })
}

const readers = {
  json: {
    accept: 'application/json',
    read (name: string, { status, body }: UpstreamResponse, said: () => Error | undefined): unknown {
      if (body.length === 0) {
        const message = `${name}: the answer ${status} is empty, so it is not JSON: use text or answer`
        throw upstreamError(UpstreamError, message)
      }
      try {
        return JSON.parse(textOf(body))
      } catch {
        // The message of the parser contains a part of the body.
        throw upstreamError(UpstreamError, `${name}: the answer is not JSON`, undefined, said())
      }
    }
  },
  text: { accept: '*/*', read: (_name: string, { body }: UpstreamResponse) => textOf(body) },
  bytes: { accept: '*/*', read: (_name: string, { body }: UpstreamResponse) => body },
  answer: { accept: '*/*', read: (_name: string, answer: UpstreamResponse) => answer }
}

/** Decodes UTF-8 without a byte order mark. */
const textOf = (body: Buffer) => body.toString().replace(/^\uFEFF/, '')

class UpstreamClient implements Upstream {
  readonly #caller: UpstreamCalls
  readonly #scope: Scope

  constructor (caller: UpstreamCalls, scope: Scope = {}) {
    this.#caller = caller
    this.#scope = scope
  }

  json<T> (path: string, request: UpstreamRequest<T> = {}): Promise<T> {
    return this.#call(path, request, readers.json as Reader<T>)
  }

  text (path: string, request: UpstreamRequest<string> = {}): Promise<string> {
    return this.#call(path, request, readers.text)
  }

  bytes (path: string, request: UpstreamRequest<Buffer> = {}): Promise<Buffer> {
    return this.#call(path, request, readers.bytes)
  }

  response (path: string, request: UpstreamRequest<Buffer> = {}): Promise<UpstreamResponse> {
    const { check } = request
    const ofAnswer = typeof check === 'function' ? (answer: UpstreamResponse) => check(answer.body) : check
    return this.#call(path, { ...request, check: ofAnswer }, readers.answer)
  }

  for (scope: UpstreamScope): Upstream {
    validateMembers(scope, scopeRules)
    // All calls add a listener, and Node.js warns of a leak from eleven on.
    if (scope.signal !== undefined) setMaxListeners(0, scope.signal)
    const outer = this.#scope
    return new UpstreamClient(this.#caller, {
      ...outer,
      ...withoutUndefined(scope),
      headers: mergeHeaders(outer.headers, scope.headers),
      budget: outer.budget ?? {}
    })
  }

  stats (): UpstreamStats {
    return this.#caller.stats()
  }

  close (): Promise<void> {
    return this.#caller.close()
  }

  #call<T> (path: string, request: UpstreamRequest<T>, reader: Reader<T>): Promise<T> {
    return handled(this.#caller.call(this.#scope, path, request, reader))
  }
}
