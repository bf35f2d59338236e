import { StartError } from '../start/start-error.ts'

/** Commands that read one. */
export const usages = { import: 'import NAME', connect: 'connect NAME SERVICE' } as const

/** Accounts and playlists are much smaller. */
const mostMegabytes = 100

/**
 * The text of a file that is imported.
 *
 * @throws StartError for what is larger than any, and for a terminal, where nobody knows that a file is waited for
 */
export async function readInput (
  stream: AsyncIterable<Buffer> & { isTTY?: boolean }, command: 'import' | 'connect' = 'import'
): Promise<string> {
  if (stream.isTTY === true) {
    throw new StartError(`${command} reads a file: npm run account -- ${usages[command]} < FILE`)
  }
  const input = await readText(stream, mostMegabytes)
  if (input === undefined) throw new StartError(`A file of more than ${mostMegabytes} MB is not imported`)
  return input
}

/** The whole text of a stream, `undefined` if it has more than so many MB. */
export async function readText (stream: AsyncIterable<Buffer>, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > most * 1024 * 1024) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
