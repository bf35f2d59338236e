import { createUpstream, type Upstream, type UpstreamOptions } from 'fastify-source-origin/upstream'
import type { Test } from 'tap'
import { fixed } from '../../lib/upstream/upstream.ts'
import { startFaultyUpstream } from '../faulty-upstream.ts'

type Fixed = Omit<typeof fixed, 'breaker'> & { breaker: typeof fixed.breaker | boolean }
type Options = Omit<UpstreamOptions, 'breaker'> & Partial<Fixed>

/** An upstream with other numbers than all upstreams have. */
export function upstreamWith ({ maxWait, queue, breaker, ...options }: Options): Upstream {
  const before = { ...fixed }
  Object.assign(fixed, {
    ...maxWait !== undefined && { maxWait },
    ...queue !== undefined && { queue },
    ...typeof breaker === 'object' && { breaker }
  })
  try {
    return createUpstream({ ...options, breaker: breaker !== false })
  } finally {
    Object.assign(fixed, before)
  }
}

/** A faulty upstream and a client of it. The client is closed when the test ends. */
export async function build (t: Test, options: Partial<Options> = {}) {
  const server = await startFaultyUpstream(t)
  const upstream = upstreamWith({ baseUrl: `${server.url}/v3`, ...options })
  t.teardown(() => upstream.close())
  return { server, upstream, host: new URL(server.url).host }
}

/** A logger that keeps its lines. */
export function createLog () {
  const lines: { level: string, line: Record<string, unknown>, message: string }[] = []
  const at = (level: string) =>
    (line: Record<string, unknown>, message: string) => { lines.push({ level, line, message }) }
  return { lines, log: { debug: at('debug'), warn: at('warn') } as never }
}
