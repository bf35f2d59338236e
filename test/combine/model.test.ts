import t from 'tap'
import { Random } from '../campaigns/support/random.ts'
import { fifthOfRuns } from '../fifth.ts'
import { tryLibrary } from './library-model.ts'
import { randomNodes, together, tryMerged, tryOperation } from './model.ts'

t.test('each operation answers a plain merge of what its sources have, at any place', async () => {
  for (let seed = 0; seed < fifthOfRuns(300).numRuns; seed++) {
    const random = new Random(seed)
    const nodes = randomNodes(random, random.pick([3, 120, 1000]))
    for (const row of together) {
      const [offset, limit] = [random.below(random.pick([2, 120, 1500])), 1 + random.below(100)]
      await tryOperation(random, nodes, { row, offset, limit }).catch(error => {
        throw new Error(`Seed ${seed} ${row.adapterMethod}: ${error.stack}`.slice(0, 3000))
      })
    }
  }
})

t.test('pages of what is merged are parts of one list', async () => {
  for (let seed = 0; seed < fifthOfRuns(100).numRuns; seed++) {
    const random = new Random(seed)
    const sizes = Array.from({ length: 2 + random.below(3) }, () => random.below(random.pick([30, 200])))
    await tryMerged(random, sizes, 1 + random.below(100)).catch(error => {
      throw new Error(`Seed ${seed}: ${error.message}`.slice(0, 3000))
    })
  }
})

t.test('the library is that of all', async () => {
  for (let seed = 0; seed < fifthOfRuns(100).numRuns; seed++) {
    const random = new Random(seed)
    await tryLibrary(random, random.pick([40, 40, 1000])).catch(error => {
      throw new Error(`Seed ${seed}: ${error.message}`.slice(0, 3000))
    })
  }
})
