const reported = new WeakSet<object>()

/** Notes an error that the log has already, so that it is not logged with each request that it fails. */
export const noteReported = <T extends object>(error: T): T => {
  reported.add(error)
  return error
}

/** Whether the log has an error already. */
export const isReported = (error: unknown): boolean => reported.has(Object(error))
