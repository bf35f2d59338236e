import type { SourceLibrary } from 'fastify-source-origin'

/** A list of ids that a library gives at once or in parts. */
export async function wholeList (given: ReturnType<SourceLibrary['ids']>): Promise<readonly string[]> {
  const ids = await given
  if (!(Symbol.asyncIterator in ids)) return ids
  const whole: string[] = []
  for await (const part of ids) whole.push(...part)
  return whole
}
