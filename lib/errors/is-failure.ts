/**
 * Returns whether a status is a failure. 501 is not a failure, because a source may omit operations, and some clients
 * call them anyway.
 */
export const isFailure = (status: number): boolean => status >= 500 && status !== 501
