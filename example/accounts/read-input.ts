import { StartError } from '../start-error.ts'

/** Accounts and playlists are much smaller. */
const mostMegabytes = 100

/**
 * The text of a file that is imported.
 *
 * @throws StartError for what is larger than any
 */
export async function readInput (stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > mostMegabytes * 1024 * 1024) {
      throw new StartError(`A file of more than ${mostMegabytes} MB is not imported`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
