import { refusalChannel, type ChannelMessages } from '../tracing/channels.ts'

/** Publishes a rejection on its diagnostics channel, for metrics. */
export const publishRefusal = (reason: string): void =>
  refusalChannel.publish({ reason } satisfies ChannelMessages['refusal'])
