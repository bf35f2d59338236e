/** What people are told of a source. */
export const hostOf = (url: string): string => new URL(url).hostname

/** Connections that are logins at other sources, and not services that are told what is heard. */
export const isOtherSource = (service: string): boolean => /^(?:subsonic|source)(?:_\d)?$/.test(service)
