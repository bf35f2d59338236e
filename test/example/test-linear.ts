import fc from 'fast-check'
import t from 'tap'
import { countSteps } from './count-steps.ts'

/** A text that grows by repeating its middle. */
type Attack = [begin: string, repeated: string, end: string]

const known: Attack[] = [
  ['a', ' ', 'b'], ['', '/a', ''], ['/', '../', ''], ['a', '\u0301\u0323\u0300', ''], ['', '<1:', ''], ['<1:11.', '1', ''], ['', '\r', ''], ['', '\n', 'a'],
  ['#PLAYLIST:', ' ', ''], ['', '#', ''], ['file:///', '%20', ''], ['a:', '/', ''], ['', '\\', 'a'], ['', '1', '-'], ['[00:00]', ' \n', 'x']
]
const piece = fc.string({ unit: fc.constantFrom(...' \t\r\n#/\\.:<>[]-=%0aA\u0301\u0323がß'), maxLength: 4 })
const attack = fc.tuple(piece, piece.filter(text => text !== ''), piece)
const grown = ([begin, repeated, end]: Attack, length: number) => begin + repeated.repeat(length / repeated.length) + end

/** Characters. */
const length = 3000

/**
 * Calls what looks at texts of files, tags and requests with texts that grow, and counts the steps.
 *
 * @param readers by their names
 */
export function testLinear (readers: Readonly<Record<string, (text: string) => unknown>>): void {
  for (const [name, read] of Object.entries(readers)) {
    t.test(`a text four times as long takes ${name} four times the steps at most`, async t => {
      await fc.assert(fc.asyncProperty(attack, async attack => {
        const once = await countSteps(() => read(grown(attack, length)))
        const more = await countSteps(() => read(grown(attack, 4 * length)))
        // The rest does not depend on the text.
        if (more > 4.5 * once + 5000) throw new Error(`${once} steps become ${more}`)
      }), { examples: known.map(attack => [attack]), numRuns: known.length + 40, seed: 1 })
      t.pass('it is linear')
    })
  }
}
