/** Characters of a secret. One that is shorter can be guessed, by trying or from the digests that apps send. */
export const shortestSecret = 16

/** Whether nobody finds out a secret by trying. */
export const isLong = (secret: string): boolean => secret.length >= shortestSecret
