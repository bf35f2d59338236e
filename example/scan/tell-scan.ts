import { tracingChannel } from 'node:diagnostics_channel'

const channel = tracingChannel('fastify-source-origin.scan')

/** Scans, and tells the channel of scans of it. */
export const tellScan = <T>(scan: () => Promise<T>): Promise<T> => channel.tracePromise(scan, {})
