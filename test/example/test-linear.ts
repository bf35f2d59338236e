import fc from 'fast-check'
import type { Test } from 'tap'
import { fifthOf, fifthOfRuns } from '../fifth.ts'
import { countSteps } from './count-steps.ts'

/** A text that grows by repeating its middle, and what comes behind its end. */
type Attack = [begin: string, repeated: string, end: string, behind?: string]

const known: Attack[] = [
  ['a', ' ', 'b'], ['', '/a', ''], ['/', '../', ''], ['a', '\u0301\u0323\u0300', ''], ['', '<1:', ''],
  ['<1:11.', '1', ''], ['', '\r', ''], ['', '\n', 'a'],
  ['#PLAYLIST:', ' ', ''], ['', '#', ''], ['file:///', '%20', ''], ['a:', '/', ''], ['', '\\', 'a'], ['', '1', '-'],
  ['[00:00]', ' \n', 'x'],
  ['', ',', 'a'], ['', ', ', 'a'], ['', ';', ' '], ['"', '", "', '"'], ['W/', 'W/', '"a"'], ['', 'a=', '&'],
  ['&', 'a=1&', ''], ['', '(', ')'], ['a://', '?', ''],
  ['', 'a://a ', ''], ['Bearer ', ' ', 'a'], ['Bearer ', 'abcdef ', ' ', 'abcdef'], ['a', '\u200c', ''],
  ['a', '\u0301\u200d', ''],
  ['', '~exp=1', 'a'], ['{"a":', '[', '']
]
const piece = fc.string({ unit: fc.constantFrom(...' \t\r\n#/\\.:<>[]-=%0aA\u0301\u0323がß'), maxLength: 4 })
const attack = fc.tuple(piece, piece.filter(text => text !== ''), piece, piece)
const fill = (text: string, length: number) => text === '' ? '' : text.repeat(length / text.length)
const grown = ([begin, repeated, end, behind = '']: Attack, length: number) =>
  begin + fill(repeated, behind === '' ? length : length / 2) + end + fill(behind, length / 2)

interface TestOptions {
  /** Texts that mean something to the readers. */
  more?: readonly Attack[]
  /** How many texts are random, where all are tried. */
  random?: number
  /** Characters of the shorter text; a reader that cuts texts needs one above its limit. */
  length?: number
}

/**
 * Calls what looks at texts of files, tags and requests with texts that grow, and counts the steps.
 *
 * @param readers by their names
 */
export function testLinear (
  t: Test,
  readers: Readonly<Record<string, (text: string) => unknown>>,
  { more = [], random = 40, length = 3000 }: TestOptions = {}
): void {
  const attacks = [...known, ...more].map((attack): [Attack] => [attack])
  for (const [index, [name, read]] of Object.entries(readers).entries()) {
    // Readers have much in common.
    const examples = fifthOf(attacks, index)
    t.test(`a text four times as long takes ${name} four times the steps at most`, async t => {
      await fc.assert(fc.asyncProperty<[Attack]>(attack, async attack => {
        const stepsOf = (length: number) => countSteps(() => read(grown(attack, length)))
        const once = await stepsOf(length)
        let more = Infinity
        // While a reader waits for something, others take steps too, but not each time. The rest does not depend on the
        // text.
        for (let turn = 0; turn < 3 && more > 4.5 * once + 5000; turn++) more = await stepsOf(4 * length)
        if (more > 4.5 * once + 5000) throw new Error(`${once} steps become ${more}`)
      }), { examples, numRuns: examples.length + fifthOfRuns(random).numRuns, seed: 1 })
      t.pass('it is linear')
    })
  }
}
