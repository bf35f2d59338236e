/** Bytes that hold more than the head of a file. */
const head = 4096

/**
 * Holds the first bytes back until there are more than those of a head.
 *
 * @returns `write` as it is given, and what writes the bytes of a short file at its end
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
