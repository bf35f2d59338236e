/** Returns the token of an `Authorization` header, with or without the scheme `Bearer`. */
export const withoutScheme = (authorization: string): string => authorization.replace(/^bearer\s+/i, '')
