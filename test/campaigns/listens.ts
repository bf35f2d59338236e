import type { Campaign } from './support/campaign.ts'
import { tellListens } from './support/tell-listens.ts'

export const count = 300

export const run = (campaign: Campaign): Promise<void> => tellListens(campaign, { toldWithin: 30_000, looked: 0.1 })
