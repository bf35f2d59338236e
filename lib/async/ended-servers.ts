import type { Server } from 'node:http'

/** Servers whose connections `endStreams` ends when they close. Their responses have no other time limit. */
export const endedServers = new WeakSet<Server>()
