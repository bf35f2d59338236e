/** Returns the host name of a source, to show to people. */
export const hostOf = (url: string): string => new URL(url).hostname

/** Checks whether a connection is a login at another source, and not a scrobbling service. */
export const isOtherSource = (service: string): boolean => /^(?:subsonic|source)(?:_\d)?$/.test(service)
