/** Runs one at a time for each name, within this process, in the order of the calls. */
export type TakeTurn = <T>(name: string, run: () => Promise<T>) => Promise<T>

export function createTurns (): TakeTurn {
  const last = new Map<string, Promise<unknown>>()

  return async (name, run) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(run)
    const settled = turn.catch(() => {})
    last.set(name, settled)
    try {
      return await turn
    } finally {
      if (last.get(name) === settled) last.delete(name)
    }
  }
}
