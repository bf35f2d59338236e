import { withinTime } from '../async/timed-call.ts'
import { BadRequestError, NotFoundError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { longestRun } from './longest-run.ts'
import type {
  HouseholdDetails, HouseholdLimit, HouseholdLink, HouseholdList, HouseholdResult, HouseholdServer
} from './page-responses.ts'
import type { householdOperations } from './page-parameters.ts'
import type { OwnRoute } from './page-routes.ts'

/** An operation that the page runs; docs/reference/page.md describes its arguments and result. */
export type HouseholdOperation = typeof householdOperations[number]

/** Operations that replace data: `confirm` must be their first value. */
const replacing: readonly HouseholdOperation[] = ['import', 'restore']

/**
 * The accounts of a source and the state of its server, for the account that manages them.
 *
 * @see docs/reference/page.md, Household
 */
export interface Household {
  /** Returns whether an account manages the others. The routes answer 404 to every other account. */
  isManagedBy (context: RequestContext): boolean
  /** Returns all accounts, with the genres that a limit may name. */
  list (): Promise<HouseholdList>
  /** Adds an account with limits. @returns a token for one sign-in, which is shown once */
  add (name: string, limits: readonly HouseholdLimit[]): Promise<HouseholdLink>
  /** Creates a token for one sign-in as an account. */
  link (account: string): Promise<HouseholdLink>
  /** Changes some limits of an account. The others stay. */
  limit (account: string, limits: readonly HouseholdLimit[]): Promise<unknown>
  /** Revokes a token or an app password. @returns whether it was found */
  revoke (id: string): Promise<boolean>
  /** Counts the data that the removal of an account deletes. */
  count (account: string): Promise<{ readonly playlists: number, readonly favorites: number }>
  /** Removes an account. @returns the path of the file with its data */
  remove (account: string): Promise<{ readonly file: string }>
  /** Returns the playlists and connections of an account. */
  details (account: string): Promise<HouseholdDetails>
  /**
   * Runs an operation.
   *
   * @param values the arguments of the operation
   * @param input the text of the file of `import`, or the secret of `connect`
   */
  run (operation: HouseholdOperation, values: readonly string[], input: string): Promise<HouseholdResult>
  /** Returns the state of the server. */
  server (): Promise<HouseholdServer>
}

/** Registers the page's own routes of the household. */
export function registerHousehold (route: OwnRoute, household: Household): void {
  const visibleTo = (context: RequestContext) => household.isManagedBy(context)

  route('GET household', ({ call }) => withinTime(call, () => household.list()), visibleTo)

  route('GET household/server', ({ call }) => withinTime(call, () => household.server()), visibleTo)

  route('GET household/removal', ({ call, parameters: { account } }) =>
    withinTime(call, () => household.count(account)), visibleTo)

  route('POST household/add', ({ call, parameters: { name, limits } }) =>
    withinTime(call, () => household.add(name, limits)), visibleTo)

  route('POST household/link', ({ call, parameters: { account } }) =>
    withinTime(call, () => household.link(account)), visibleTo)

  route('POST household/limits', async ({ call, parameters: { account, limits } }) => {
    await withinTime(call, () => household.limit(account, limits))
    return { success: true }
  }, visibleTo)

  route('POST household/revoke', async ({ call, parameters: { id } }) => {
    if (!await withinTime(call, () => household.revoke(id))) throw new NotFoundError('Token not found')
    return { success: true }
  }, visibleTo)

  route('POST household/remove', ({ call, parameters: { account, confirm } }) => {
    if (confirm !== account) throw new BadRequestError('Parameter confirm must be the name of the account')
    return withinTime(call, () => household.remove(account))
  }, visibleTo)

  route('GET household/account', ({ call, parameters: { account } }) =>
    withinTime(call, () => household.details(account)), visibleTo)

  route('POST household/run', ({ call, parameters: { operation, values, input, confirm } }) => {
    if (replacing.includes(operation) && confirm !== values[0]) {
      throw new BadRequestError('Parameter confirm must be the first value')
    }
    if (operation === 'connect') call.hide(input)
    return withinTime(call, () => household.run(operation, values, input))
  }, visibleTo, longestRun)
}
