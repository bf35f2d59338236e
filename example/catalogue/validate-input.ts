import { BadRequestError, NotFoundError } from 'fastify-source-origin'

/** The format of ids. Other values are rejected without a query. */
export const idPattern = /^[0-9a-f]{20}$/

export const isId = (id: string): boolean => idPattern.test(id)

/** @throws NotFoundError for a value that cannot be an id */
export function validateId (id: string): string {
  if (!isId(id)) throw new NotFoundError('Playlist or track not found')
  return id
}

/** Databases accept neither NUL nor lone surrogates; the length is limited. */
export function validateText (text: string, name: 'name' | 'description'): string {
  const longest = name === 'name' ? 300 : 10_000
  const refuse = (why: string) => new BadRequestError(`Invalid parameter ${name}: ${why}`)
  if (text.length > longest) throw refuse(`${longest} characters at most`)
  if (/[\0\p{Cs}]/u.test(text)) throw refuse('it has characters that cannot be kept')
  return text
}
