import { refusalChannel, type ChannelMessages } from '../tracing/channels.ts'

/** Tells the channel of refusals, for metrics. */
export const publishRefusal = (reason: string): void =>
  refusalChannel.publish({ reason } satisfies ChannelMessages['refusal'])
