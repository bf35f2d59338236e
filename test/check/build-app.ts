import type { FastifyInstance } from 'fastify'
import fastify from 'fastify'
import type { Test } from 'tap'
import { createSourceRouter, type SourceAdapter, type SourceContext } from 'fastify-source-origin'
import { token } from '../reference-source.ts'

/** An app around an adapter, for the token of the reference. */
export async function buildApp (
  t: Test, adapter: SourceAdapter, { prefix = '', ...context }: Partial<SourceContext> & { prefix?: string } = {}
): Promise<FastifyInstance> {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(createSourceRouter({
    resolveContext: ({ authorization }) => authorization === token ? { adapter, ...context } : null, prefix
  }))
  return app
}
