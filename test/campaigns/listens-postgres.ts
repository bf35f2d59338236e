import { startPostgres } from '../postgres.ts'
import type { Campaign } from './support/campaign.ts'
import { tellListens } from './support/tell-listens.ts'

export const count = 100

/** As `listens`, where PostgreSQL is started anew before some of the kills. */
export async function run (campaign: Campaign): Promise<void> {
  const teardowns: (() => unknown)[] = []
  try {
    const postgres = await startPostgres({ teardown: end => { teardowns.unshift(end) } })
    await tellListens(campaign, {
      env: { DATABASE_URL: postgres.url },
      // Another replica may be telling what a killed one had taken, for a minute.
      toldWithin: 100_000,
      looked: 0.02,
      async disturb (random) {
        if (!random.chance(0.3)) return
        await postgres.stop()
        await postgres.start()
      }
    })
  } finally {
    for (const end of teardowns) await end()
  }
}
