import type { Status } from '../../schemas/index.ts'

/**
 * Returns whether a capability is declared, under its name or under its name in older servers.
 *
 * @see docs/reference/contract.md, Origins and clients of older versions
 */
export const isDeclared = (declared: readonly string[], name: string): boolean =>
  [name, ...(name.startsWith('search') ? ['search'] : name === 'roamTracks' ? ['trackRoam', 'personalFM'] : [])]
    .some(known => declared.includes(known))

const lists = ['capabilities', 'qualityMap', 'playlistSortOptions'] as const

/** Returns the status with empty lists instead of lists that older servers omit or send as `null`. */
export const completeStatus = (status: object) =>
  ({ ...status, ...Object.fromEntries(lists.map(name => [name, Reflect.get(status, name) ?? []])) }) as Status
