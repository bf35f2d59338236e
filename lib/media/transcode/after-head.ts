/** A number of bytes that is larger than the head of a file. */
const head = 4096

/**
 * Delays the first bytes until they are more than the head of a file.
 *
 * @returns the delayed `write`, and `end`, which writes the bytes of a short file
 */
export function afterHead (
  write: (bytes: Buffer) => Promise<void>
): { write: (bytes: Buffer) => Promise<void>, end: () => Promise<void> } {
  let held: Buffer | undefined = Buffer.alloc(0)
  return {
    async write (bytes) {
      const all = held === undefined ? bytes : Buffer.concat([held, bytes])
      held = held === undefined || all.length > head ? undefined : all
      if (held === undefined) await write(all)
    },
    async end () {
      if (held?.length) await write(held)
    }
  }
}
