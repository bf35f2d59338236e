import type { Server } from 'node:http'

/** Servers whose connections `endStreams` ends as they close: nothing else sets their responses a limit. */
export const endedServers = new WeakSet<Server>()
