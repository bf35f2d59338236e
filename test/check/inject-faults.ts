import type { SourceContext } from 'fastify-source-origin'
import type { CheckOptions, OperationName, RuleId } from 'fastify-source-origin/check'
import { checkedOperations } from '../../lib/check/probe/inspection.ts'
import type { Asked, Given, InjectFault } from './faulty-origin.ts'

export interface Fault {
  readonly title: string
  readonly rule: RuleId
  readonly operation: OperationName
  readonly inject: InjectFault
  readonly context?: Partial<SourceContext>
  readonly options?: Pick<CheckOptions, 'timeout' | 'concurrency' | 'only' | 'write'>
}

/** A fault as a row: rule, operation, title, what injects it, and what the check needs besides. */
export type FaultRow = [RuleId, OperationName, string, InjectFault, Pick<Fault, 'context' | 'options'>?]

export const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
export const success = (data: unknown): Given => ({ status: 200, headers: json, body: { code: 200, data } })
export const failure = (status: number, message = 'Injected'): Given =>
  ({ status, headers: json, body: { code: status, message, data: null } })
export const pathOf = (name: OperationName) => checkedOperations.find(operation => operation.name === name)!.path

/** Spoils every answer to the right token. */
export const spoil = (operation: OperationName, change: (given: Given, asked: Asked) => Given | void): InjectFault =>
  async (asked, sound) => {
    const given = await sound()
    return asked.path === pathOf(operation) && asked.token === 'right' ? change(given, asked) ?? given : given
  }

/** Spoils the data of every success. */
export const spoilData = (operation: OperationName, change: (data: any, asked: Asked) => unknown): InjectFault =>
  spoil(operation, (given, asked) =>
    given.status === 200 ? success(change(given.body.data, asked) ?? given.body.data) : given)

/** Asks the sound source something else instead, where the condition holds. */
export const instead = (operation: OperationName, when: (asked: Asked) => boolean, query: (
  asked: Asked
) => object, change: (given: Given, asked: Asked) => Given = given => given): InjectFault =>
  async (asked, sound) => asked.path === pathOf(operation) && when(asked)
    ? change(await sound(`${asked.path}?${new URLSearchParams({ ...query(asked) })}`), asked)
    : sound()

export const right = ({ token }: Asked) => token === 'right'
export const anyPath = (path: string, given: Given, when: (asked: Asked) => boolean = () => true): InjectFault =>
  async (asked, sound) =>
    asked.path === path && when(asked) ? given : sound()
/** Spoils the text of every JSON answer. */
export const everywhere = (change: (text: string) => string): InjectFault => async (_asked, sound) => {
  const given = await sound()
  return Buffer.isBuffer(given.body) ? given : { ...given, body: change(JSON.stringify(given.body)) }
}

export const breaks = (...names: OperationName[]): InjectFault => async (asked, sound) =>
  right(asked) && names.some(name => asked.path === pathOf(name)) ? 'break' : sound()
export const has = (name: string, test: (value: string) => boolean) => (asked: Asked) =>
  right(asked) && asked.query.has(name) && test(asked.query.get(name)!)
export const all = ({ query }: Asked) => Object.fromEntries(query)

/** Turns the items of a small page around each time it is requested again. */
export function shuffle (operation: OperationName): InjectFault {
  let requests = 0
  return spoilData(operation, data => {
    if (data.offset === 0 && data.limit === 2 && requests++ > 0) data.items.reverse()
  })
}

/** Fails for an offset of small pages: for the first page when it is requested again, for others at once. */
export function failAgain (operation: OperationName, offset: string): InjectFault {
  let requests = 0
  return spoil(operation, (given, { query }) =>
    query.get('offset') === offset && query.get('limit') === '2' &&
      (requests++ > 0 || offset !== '0')
      ? failure(500)
      : given)
}
