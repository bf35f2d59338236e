import { useState } from 'preact/hooks'
import { nameOf } from './queue.ts'
import { source } from './sources.ts'
import { keep, recall } from './storage.ts'

/** How a list is sorted. */
export interface Sorting {
  /** Empty = as it comes. */
  readonly sort?: string
  readonly order?: 'asc' | 'desc'
}

/** Lists whose sorting is kept, those that were sorted last. */
const most = 100

const recallAll = () => Object(recall(nameOf('sorts', source.value), {})) as Readonly<Record<string, Sorting>>

/** How the account has left a list in this browser. */
export const recallSorting = (list: string): Sorting => Object(recallAll()[list]) as Sorting

export function keepSorting (list: string, sorting: Sorting): void {
  const others = Object.entries(recallAll()).filter(([name]) => name !== list)
  keep(nameOf('sorts', source.value), Object.fromEntries([...others, [list, sorting]].slice(-most)))
}

/** The same as state of a view, which is of one list. */
export function useSorting (list: string) {
  const [{ sort = '', order = 'asc' }, set] = useState(() => recallSorting(list))
  const change = (sorting: Sorting) => {
    keepSorting(list, sorting)
    set(sorting)
  }
  return { sort, order, change }
}
