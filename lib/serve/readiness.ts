import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { sendError, withErrorHandler } from '../reply/index.ts'
import { routeOfOptionTaken } from '../errors/author-errors.ts'
import { elapsed } from '../async/elapsed.ts'
import { sleep } from '../async/sleep.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { areFunctions, milliseconds } from '../options/member-rules.ts'

/** Returns whether a part is ready: `true`, `false`, or one word with the reason. A check that throws is `down`. */
export type ReadinessCheck = () => boolean | string | Promise<boolean | string>

export interface ReadinessOptions {
  /** The checks by the names that they have in the response. Required. */
  checks: Readonly<Record<string, ReadinessCheck>>
  /** Additional checks, which appear in the response but do not affect its status. Default: none. */
  optionalChecks?: Readonly<Record<string, ReadinessCheck>> | undefined
  /**
   * The time in milliseconds between the first 503 of a closing server and its closing: as long as the load balancer
   * needs to notice it. Create the server with `return503OnClosing: false`, or Fastify rejects all requests in that
   * time. Default: 0.
   */
  delay?: number | undefined
}

const rules: Record<string, MemberRule> = {
  checks: areFunctions,
  ...optional({
    optionalChecks: areFunctions,
    delay: milliseconds(0)
  })
}

/** The timeout of a check in milliseconds. A check that exceeds it is `down`. */
const checkTimeout = 2000
/** The time in milliseconds for which results are cached, because the route is public. */
const keptFor = 1000

async function register (app: FastifyInstance, options: ReadinessOptions): Promise<void> {
  validateMembers(options, rules)
  const { checks, optionalChecks, delay = 0 } = options
  const allChecks = Object.entries({ ...optionalChecks, ...checks })
  const areOk = (words: Record<string, string>) => Object.keys(checks).every(name => words[name] === 'ok')
  let isClosing = false
  let wasReady = true
  let known: { at: number, words: Promise<Record<string, string>> } | undefined

  app.addHook('preClose', async () => {
    isClosing = true
    app.log.info({ delay }, 'shutdown announced')
  })
  for (const wait of partsOf(delay, app.initialConfig.pluginTimeout)) {
    app.addHook('preClose', () => sleep(wait))
  }

  async function wordOf (name: string, check: ReadinessCheck): Promise<[string, string]> {
    try {
      const word = await withTimeout(() => check(), { timeout: checkTimeout })
      return [name, word === true ? 'ok' : word === false ? 'down' : word]
    } catch (error) {
      app.log.debug({ err: error, check: name }, 'readiness check failed')
      return [name, 'down']
    }
  }

  async function ask (): Promise<Record<string, string>> {
    const words = Object.fromEntries(await Promise.all(allChecks.map(([name, check]) => wordOf(name, check))))
    const isReady = areOk(words)
    if (isReady && !wasReady) app.log.info({ checks: words }, 'ready')
    if (!isReady && wasReady) app.log.warn({ checks: words }, 'not ready')
    wasReady = isReady
    return words
  }

  const taken = () => routeOfOptionTaken('GET /ready', 'readiness')
  if (app.hasRoute({ method: 'GET', url: `${app.prefix}/ready` })) throw taken()
  async function answer (_request: FastifyRequest, reply: FastifyReply) {
    if (known === undefined || elapsed() - known.at >= keptFor) known = { at: elapsed(), words: ask() }
    const checked = await known.words
    const status = isClosing ? 'closing' : areOk(checked) ? 'ready' : 'waiting'
    reply.code(status === 'ready' ? 200 : 503).header('cache-control', 'no-store')
    return { status, checks: checked }
  }

  await app.register(withErrorHandler(sendError, async part => {
    part.get('/ready', { logLevel: 'warn', config: { shedLoad: false } }, answer)
  }))
  app.addHook('onRoute', ({ method, url, constraints }) => {
    if (constraints === undefined && url === `${app.prefix}/ready` && [method].flat().includes('GET')) throw taken()
  })
}

/** Splits a delay into several hooks. Fastify aborts a hook after its `pluginTimeout` and skips the remaining hooks. */
function partsOf (delay: number, pluginTimeout = 0): number[] {
  const longest = pluginTimeout === 0 ? delay : Math.ceil(pluginTimeout / 2)
  const parts = []
  for (let rest = delay; rest > 0; rest -= longest) parts.push(Math.min(rest, longest))
  return parts
}

/**
 * `GET /ready` for load balancers: 200 or 503, with one word for each check. It returns 503 as soon as the server
 * begins to close. The health check of `@fastify/under-pressure` has no names of checks, no optional checks and no
 * delay.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION at registration: they name the option;
 * SOURCE_ORIGIN_ERR_ROUTE_TAKEN
 * @see docs/operations/deployment.md, Readiness
 */
export const readiness: FastifyPluginAsync<ReadinessOptions> =
  fastifyPlugin(register, { name: 'fastify-source-origin/readiness', fastify: '^5.12.0' })
