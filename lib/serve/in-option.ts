import { isOptionError } from '../errors/author-errors.ts'

/** Has errors name the whole option, `media.keys`: the parts know only their own. */
export async function inOption<T> (part: string, registered: PromiseLike<T>): Promise<T> {
  try {
    return await registered
  } catch (error) {
    // Fastify keeps this object too.
    if (isOptionError(error)) error.message = error.message.replace('ption "', `ption "${part}.`)
    throw error
  }
}
