type Method = (this: any, ...args: any[]) => any

const lengthOf = (value: unknown): number => typeof value === 'string' || Array.isArray(value) ? value.length : 1

const { exec } = RegExp.prototype

/** Putting marks in order takes as many steps as there are pairs of them. */
function stepsOfNormalize (text: string): number {
  let steps = text.length
  let marks = 0
  for (const character of text) {
    marks = exec.call(/^\p{M}$/u, character) === null ? 0 : marks + 1
    steps += marks
  }
  return steps
}

/** How far an expression looked; that it takes one step for each character is what the linter sees to. */
function stepsOfExec (from: number, { sticky }: RegExp, text: string, match: RegExpExecArray | null): number {
  const end = match === null ? sticky ? from : text.length : match.index + match[0].length
  return Math.max(0, end - from) + 1
}

const constant = () => 1
const ofSelf = (self: unknown) => lengthOf(self)
const ofResult = (_self: unknown, _args: unknown[], result: unknown) => lengthOf(result)
const ofArgument = (_self: unknown, [argument]: unknown[]) => lengthOf(argument)

/** What a call of a method costs. */
type Cost = (self: any, args: any[], result: any) => number

const costs: [prototype: object, cost: Record<string, Cost>][] = [
  [String.prototype, {
    ...Object.fromEntries([
      'concat', 'includes', 'lastIndexOf', 'localeCompare', 'match', 'matchAll', 'padEnd', 'padStart', 'repeat',
      'replace', 'replaceAll', 'search',
      'split', 'toLowerCase', 'toUpperCase', 'trim', 'trimEnd', 'trimStart'].map(name => [name, ofSelf])),
    ...Object.fromEntries(['at', 'charAt', 'charCodeAt', 'codePointAt'].map(name => [name, constant])),
    normalize: stepsOfNormalize,
    slice: ofResult,
    substring: ofResult,
    startsWith: ofArgument,
    endsWith: ofArgument,
    indexOf: (self, [, from = 0], result) => (result === -1 ? self.length : result) - from + 1
  }],
  [Array.prototype, {
    ...Object.fromEntries([
      'concat', 'every', 'filter', 'find', 'findIndex', 'findLastIndex', 'flatMap', 'forEach', 'includes', 'indexOf',
      'map', 'reduce', 'reverse',
      'shift', 'some', 'sort', 'splice', 'toSorted', 'unshift'].map(name => [name, ofSelf])),
    join: ofResult,
    slice: ofResult
  }],
  // Loops and spreads.
  ...[[], new Map(), new Set(), ''].map((list): [object, Record<string, Cost>] =>
    [Object.getPrototypeOf(list[Symbol.iterator]()), { next: constant }]),
  ...[Map.prototype, Set.prototype].map((prototype): [object, Record<string, Cost>] =>
    [prototype, { get: ofArgument, has: ofArgument, set: ofArgument, add: ofArgument }])
]

/**
 * Counts the steps that a function takes with texts, instead of the time: each call of a method costs as much as the
 * text, the list or the key that it goes through.
 */
export async function countSteps (run: () => unknown): Promise<number> {
  let steps = 0
  const restore: (() => void)[] = []
  function replace (prototype: any, name: string, make: (method: Method) => Method) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
    if (descriptor === undefined) return
    Object.defineProperty(prototype, name, { ...descriptor, value: make(descriptor.value) })
    restore.push(() => Object.defineProperty(prototype, name, descriptor))
  }
  replace(RegExp.prototype, 'exec', () => function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0
    const match = exec.call(this, text)
    steps += stepsOfExec(from, this, String(text), match)
    return match
  })
  for (const [prototype, methods] of costs) {
    for (const [name, cost] of Object.entries(methods)) {
      replace(prototype, name, method => function (...args) {
        const result = method.apply(this, args)
        steps += cost(this, args, result)
        return result
      })
    }
  }
  try {
    const result = run()
    // Where nothing has to be waited for, nobody else's steps are counted.
    if (result instanceof Promise) await result
  } finally {
    for (const put of restore) put()
  }
  return steps
}
