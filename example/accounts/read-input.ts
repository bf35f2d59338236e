import { StartError } from '../start/start-error.ts'

/** The commands that read input. */
export const usages = { import: 'import NAME', connect: 'connect NAME SERVICE' } as const

/** The maximum input size in MB. Accounts and playlists are much smaller. */
const mostMegabytes = 100

/**
 * Reads the content of an imported file.
 *
 * @throws StartError for oversized input, and for a terminal, because the user would not notice that the command waits
 * for a file
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

/** Reads a stream as a string; returns `undefined` if it exceeds `most` MB. */
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
