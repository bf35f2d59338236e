import { channels, type ChannelMessages } from '../tracing/channels.ts'
import { traceCallback } from '../tracing/trace.ts'
import type { Outcome } from './outcome.ts'
import { mergeHeaders, type PreparedRequest } from './prepare-request.ts'
import type { ValidUpstream, UpstreamScope } from './upstream.ts'

/**
 * Sends a request and publishes it on the diagnostics channel of upstreams. Headers added by a subscriber are sent only
 * if the upstream has the option `trusted`.
 */
export const traceAttempt = <T>(
  { name, trusted }: ValidUpstream,
  { prepared, scope: { account }, attempt }: { prepared: PreparedRequest, scope: UpstreamScope, attempt: number },
  send: (prepared: PreparedRequest) => Promise<Outcome<T>>
): Promise<Outcome<T>> => {
  const { method, origin, pathname: path, headers } = prepared
  const message: ChannelMessages['upstream'] =
    { upstream: name, method, origin, path, account, attempt, ...trusted && { headers: {} } }
  return traceCallback(channels.upstream, message, Object.values(headers), async end => {
    const outcome = await send({ ...prepared, headers: mergeHeaders(headers, message.headers) })
    message.code = outcome.code
    if (outcome.status !== undefined) message.status = outcome.status
    end(outcome.error?.())
    return outcome
  })
}
