/** Whether a status is a failure. 501 is none: a source offers what it has, and not every client looks first. */
export const isFailure = (status: number): boolean => status >= 500 && status !== 501
