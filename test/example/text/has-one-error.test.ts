import fc from 'fast-check'
import t from 'tap'
import { hasOneError } from '../../../example/text/has-one-error.ts'

const letter = fc.constantFrom(...'abcd')
const word = fc.array(letter, { maxLength: 8 })
const has = (one: readonly string[], other: readonly string[]) => hasOneError(one.join(''), other.join(''))

/** Every word that is one error away. */
function * errorsOf (word: readonly string[]): Iterable<readonly string[]> {
  for (let at = 0; at <= word.length; at++) {
    for (const letter of 'abcd') {
      yield word.toSpliced(at, 0, letter)
      if (at < word.length) yield word.with(at, letter)
    }
    if (at < word.length) yield word.toSpliced(at, 1)
    if (at + 1 < word.length) yield word.toSpliced(at, 2, word[at + 1]!, word[at]!)
  }
}

t.test('one error is found, whichever it is, and nothing else', async t => {
  fc.assert(fc.property(word, word, (one, other) => {
    const near = new Set(Array.from(errorsOf(one), letters => letters.join('')))
    near.delete(one.join(''))
    for (const wrong of near) if (!has(one, [...wrong])) return false
    return one.join('') === other.join('') || has(one, other) === near.has(other.join(''))
  }))
  t.pass('for all words that were tried')
})
