import type { Status } from '../../schemas/index.ts'

/**
 * Whether a capability is declared, under its name or under one that older origins use for it.
 *
 * @see docs/reference/contract.md, Origins and clients of older versions
 */
export const isDeclared = (declared: readonly string[], name: string): boolean =>
  [name, ...(name.startsWith('search') ? ['search'] : name === 'roamTracks' ? ['trackRoam', 'personalFM'] : [])]
    .some(known => declared.includes(known))

const lists = ['capabilities', 'qualityMap', 'playlistSortOptions'] as const

/** The status with the lists that older origins leave out, or send as `null`, empty. */
export const completeStatus = (status: object) =>
  ({ ...status, ...Object.fromEntries(lists.map(name => [name, Reflect.get(status, name) ?? []])) }) as Status
