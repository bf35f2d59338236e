import { RateLimitedError } from '../contract/errors.ts'

/**
 * 429: an address has sent too many wrong tokens. For Subsonic apps the error has `code`, or the code of a wrong login.
 */
export class TooManyAttemptsError extends RateLimitedError {}
