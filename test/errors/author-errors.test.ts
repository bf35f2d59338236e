import t from 'tap'
import { decoratorTaken, invalidContext, invalidOption, unknownOption } from '../../lib/errors/author-errors.ts'

const cases = [
  [invalidOption('timeout', 'a number'), 'SOURCE_ORIGIN_ERR_INVALID_OPTION', 'Option "timeout" must be a number'],
  [unknownOption('timeot'), 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION', 'Unknown option "timeot"'],
  [unknownOption('timeot', 'timeout'), 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION',
    'Unknown option "timeot": did you mean "timeout"?'],
  [invalidContext('As given'), 'SOURCE_ORIGIN_ERR_INVALID_CONTEXT', 'As given'],
  [decoratorTaken('sourceContext'), 'SOURCE_ORIGIN_ERR_DECORATOR_TAKEN',
    'The decorator "sourceContext" is already there: this plugin needs the name']
] as const
for (const [error, code, message] of cases) {
  t.test(`${code}: ${message}`, async t => {
    t.ok(error instanceof TypeError)
    t.match(error, { code, message })
  })
}
