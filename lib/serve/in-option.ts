import { isOptionError } from '../errors/author-errors.ts'

/** Makes errors name the full path of an option, such as `media.keys`. The parts know only their own option names. */
export async function inOption<T> (part: string, registered: PromiseLike<T>): Promise<T> {
  try {
    return await registered
  } catch (error) {
    // Fastify holds the same error object, so the message is changed in place.
    if (isOptionError(error)) error.message = error.message.replace('ption "', `ption "${part}.`)
    throw error
  }
}
