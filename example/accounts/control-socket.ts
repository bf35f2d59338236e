import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { StartError } from '../start/start-error.ts'
import { readText } from './read-input.ts'

/** The maximum message size in MB: larger than any imported file with its characters escaped. */
const mostMegabytes = 256

interface Call { args: string[], input: string }
interface Answer { output?: string, error?: string }

/**
 * Responds to the one call of a connection of `callServer`.
 *
 * @param onError called with errors that the caller cannot correct
 */
export async function answerCall (
  socket: Socket, run: (args: string[], input: string) => Promise<string>, onError: (error: unknown) => void
): Promise<void> {
  // The error of a disconnected caller is ignored.
  socket.on('error', () => {})
  let answer: Answer
  try {
    const said = await readText(socket.iterator({ destroyOnReturn: false }), mostMegabytes)
    // A caller that only checks whether there is an owner sends no message.
    if (said === undefined || said === '') {
      socket.destroy()
      return
    }
    const { args, input } = JSON.parse(said) as Call
    answer = { output: await run(args, input) }
  } catch (error) {
    if (!(error instanceof StartError)) onError(error)
    answer = { error: error instanceof StartError ? error.message : 'The server could not do it; its log says why' }
  }
  socket.end(JSON.stringify(answer))
}

/**
 * Sends a command to the server that owns the data folder.
 *
 * @throws StartError with the server's message for a command that failed
 */
export async function callServer (socket: Socket, args: string[], input: string): Promise<string> {
  socket.end(JSON.stringify({ args, input } satisfies Call))
  const said = await text(socket).catch(() => '')
  if (said === '') throw new StartError('The server ended before it answered')
  const { output, error } = JSON.parse(said) as Answer
  if (output === undefined) throw new StartError(error!)
  return output
}
