/**
 * The minimum length of a secret in characters. A shorter secret can be guessed, online or from the digests that apps
 * send.
 */
export const shortestSecret = 16

/** Returns whether a secret is too long to be guessed. */
export const isLong = (secret: string): boolean => secret.length >= shortestSecret
