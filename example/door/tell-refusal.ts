import { channel } from 'node:diagnostics_channel'

const refusals = channel('fastify-source-origin.refusal')

/** Tells the channel of refusals, for metrics. */
export const tellRefusal = (reason: string): void => refusals.publish({ reason })
