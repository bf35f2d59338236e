import fc from 'fast-check'
import t from 'tap'
import { chooseQuality } from 'fastify-source-origin/upstream'

const bestFirst = ['lossless', 'high', 'medium', 'low']
const cases: [string | undefined, string[], string | undefined, string][] = [
  ['high', ['low', 'high'], 'high', 'the one that is wanted'],
  ['high', ['low', 'lossless', 'medium'], 'medium', 'the nearest lower one'],
  ['medium', ['lossless', 'high'], 'high', 'the nearest higher one where nothing is lower'],
  [undefined, ['low', 'high'], 'high', 'the best one without a wish'],
  ['hires', ['low', 'high'], 'high', 'the best one for an unknown wish'],
  ['spatial', ['low', 'spatial'], 'spatial', 'an unknown one that is wanted and there'],
  ['high', ['spatial'], 'spatial', 'an unknown one if there is nothing else'],
  ['low', ['spatial', 'medium'], 'spatial', 'an unknown one as the lowest'],
  ['high', [], undefined, 'nothing if nothing is there']
]
for (const [wanted, available, chosen, title] of cases) {
  t.test(title, async t => t.equal(chooseQuality(wanted, Object.freeze(available) as string[], bestFirst), chosen))
}

t.test('nothing that is available lies between what is wanted and what is chosen', async t => {
  const quality = fc.constantFrom(...bestFirst)
  fc.assert(fc.property(quality, fc.array(quality, { minLength: 1 }), (wanted, available) => {
    const rankOf = (name: string) => bestFirst.indexOf(name)
    const chosen = rankOf(chooseQuality(wanted, available, bestFirst)!)
    const ranks = available.map(rankOf)
    const lower = ranks.filter(rank => rank >= rankOf(wanted))
    return chosen === (lower.length > 0 ? Math.min(...lower) : Math.max(...ranks))
  }))
})
