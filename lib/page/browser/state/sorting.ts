import { useState } from 'preact/hooks'
import { nameOf } from './queue.ts'
import { source } from './saved-sources.ts'
import { keep, recall } from './storage.ts'

/** The sorting of a list. */
export interface Sorting {
  /** The sort column; empty = original order. */
  readonly sort?: string
  readonly order?: 'asc' | 'desc'
}

/** The maximum number of lists whose sorting is stored. The most recently sorted stay. */
const maxOrders = 100

const recallAll = () => Object(recall(nameOf('sorts', source.value), {})) as Readonly<Record<string, Sorting>>

/** Returns the account's stored sorting of a list in this browser. */
export const recallSorting = (list: string): Sorting => Object(recallAll()[list]) as Sorting

export function keepSorting (list: string, sorting: Sorting): void {
  const others = Object.entries(recallAll()).filter(([name]) => name !== list)
  keep(nameOf('sorts', source.value), Object.fromEntries([...others, [list, sorting]].slice(-maxOrders)))
}

/** Returns the sorting of a list as state of a view. */
export function useSorting (list: string) {
  const [{ sort = '', order = 'asc' }, set] = useState(() => recallSorting(list))
  const change = (sorting: Sorting) => {
    keepSorting(list, sorting)
    set(sorting)
  }
  return { sort, order, change }
}
