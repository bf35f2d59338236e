/**
 * A promise whose rejection counts as handled, as does the rejection of each promise created by `then`. An early call
 * that rejects before it is awaited must not crash the process.
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

/**
 * Returns a promise with the same result that does not have to be awaited. Its error still reaches each caller that
 * awaits it.
 */
export function handled<T> (promise: Promise<T>): Promise<T> {
  const result: Promise<T> = new Handled((resolve, reject) => {
    promise.then(resolve, error => {
      reject(error)
      // The listener is added after the rejection: with a second listener, V8 does not find the caller for the stack of
      // the error.
      result.then(undefined, ignore)
    })
  })
  return result
}

/** Wraps methods that return promises, so that the promises count as handled. */
export const withHandled = <T extends object>(methods: T): T =>
  Object.fromEntries(Object.entries(methods).map(([name, method]) =>
    [name, (...args: unknown[]) => handled(method(...args))])) as T
