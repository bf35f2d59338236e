/**
 * What a promise gives, or the error of `late` after some time; the promise goes on then.
 *
 * @param milliseconds at most those of `setTimeout`
 */
export function unlessLate<T> (milliseconds: number, promise: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds)
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
