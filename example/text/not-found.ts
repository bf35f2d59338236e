/** Returns the message of an error for an unknown item, with its id if it is no secret. */
export const notFound = (kind: string, id?: string): string =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)} not found${id === undefined ? '' : `: ${id}`}`
