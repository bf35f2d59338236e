import { createUpstream, type UpstreamOptions } from 'fastify-source-origin/upstream'
import type { Test } from 'tap'
import { startFaultyUpstream } from '../faulty-upstream.ts'

/** A faulty upstream and a client of it. The client is closed when the test ends. */
export async function build (t: Test, options: Partial<UpstreamOptions> = {}) {
  const server = await startFaultyUpstream(t)
  const upstream = createUpstream({ baseUrl: `${server.url}/v3`, ...options })
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
