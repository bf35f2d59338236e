import { tryLibrary } from '../combine/library-model.ts'
import { randomNodes, together, tryMerged, tryOperation } from '../combine/model.ts'
import type { Campaign } from './support/campaign.ts'
import { Random } from './support/random.ts'

export const count = 10_000

/** Random sources as one, beside a plain merge of arrays: every list, pages at any place, and the library. */
export async function run ({ rounds, find }: Campaign): Promise<void> {
  for (const seed of rounds) {
    const random = new Random(seed)
    try {
      const nodes = randomNodes(random, random.pick([3, 120, 1000]))
      for (const row of together) {
        const offset = random.below(random.pick([2, 120, 3000]))
        await tryOperation(random, nodes, { row, offset, limit: 1 + random.below(100) })
      }
      const sizes = Array.from({ length: 2 + random.below(3) }, () => random.below(200))
      await tryMerged(random, sizes, 1 + random.below(100))
      await tryLibrary(random, random.pick([40, 1000]))
    } catch (error) {
      find((error as Error).message.slice(0, 3000))
    }
  }
}
