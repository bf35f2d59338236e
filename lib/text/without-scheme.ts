/** The token of an `Authorization` header, with the scheme `Bearer` or without any. */
export const withoutScheme = (authorization: string): string => authorization.replace(/^bearer\s+/i, '')
