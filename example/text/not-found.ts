/** Returns the message of an error for an unknown item, with the item's id if the id is not a secret. */
export const notFound = (kind: string, id?: string): string =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)} not found${id === undefined ? '' : `: ${id}`}`
