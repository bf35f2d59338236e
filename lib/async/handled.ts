/**
 * A promise whose rejection counts as handled, and so does that of each promise that `then` makes of it: who begins a
 * call early and fails before awaiting it must not end the process.
 */
class Handled<T> extends Promise<T> {
  override then<A = T, B = never> (
    onResult?: ((value: T) => A | PromiseLike<A>) | null, onError?: ((error: any) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    const next = super.then(onResult, onError)
    super.then.call(next, undefined, ignore)
    return next
  }
}

const ignore = () => {}

/** The same result, as a promise for people who may never await it. Its error still reaches whoever does. */
export function handled<T> (promise: Promise<T>): Promise<T> {
  const result: Promise<T> = new Handled((resolve, reject) => {
    promise.then(resolve, error => {
      reject(error)
      // Not before: with a second listener, V8 does not find the caller for the stack of the error.
      result.then(undefined, ignore)
    })
  })
  return result
}

/** The same methods, which return promises: these count as handled. */
export const withHandled = <T extends object>(methods: T): T =>
  Object.fromEntries(Object.entries(methods).map(([name, method]) =>
    [name, (...args: unknown[]) => handled(method(...args))])) as T
