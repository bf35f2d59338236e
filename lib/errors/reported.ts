const reported = new WeakSet<object>()

/** Notes an error that is not logged with each request that it fails: the log has it, or the client has left. */
export const noteReported = <T extends object>(error: T): T => {
  reported.add(error)
  return error
}

/** Whether the log has an error already, or does not need it. */
export const isReported = (error: unknown): boolean => reported.has(Object(error))
