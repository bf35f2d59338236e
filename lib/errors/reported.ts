const reported = new WeakSet<object>()

/**
 * Marks an error that is not logged again for each failed request, because it was logged or the client has
 * disconnected.
 */
export const noteReported = <T extends object>(error: T): T => {
  reported.add(error)
  return error
}

/** Returns whether an error was logged already or does not need to be logged. */
export const isReported = (error: unknown): boolean => reported.has(Object(error))
