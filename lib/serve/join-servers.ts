import type { FastifyInstance } from 'fastify'
import type { Server, Socket } from 'node:net'

/**
 * Makes the connections of all addresses those of `app.server`. Where `localhost` is several addresses, Fastify makes
 * another server for each further one: what is done with `app.server` does not hold for them, and the closing does not
 * wait for their requests.
 */
export function joinServers (app: FastifyInstance): void {
  const { server } = app
  const { close } = server
  app.addHook('onListen', async () => {
    const others = serversBeside(app)
    for (const other of others) {
      other.removeAllListeners('connection').on('connection', (socket: Socket) => server.emit('connection', socket))
    }
    server.close = (...callbacks) => {
      const closed = [server, ...others].map(one => new Promise<Error | undefined>(resolve => close.call(one, resolve)))
      Promise.all(closed).then(([error]) => callbacks.forEach(callback => callback?.(error)))
      return server
    }
  })
}

/** Fastify has a public method for their addresses, and none for themselves. */
function serversBeside (app: FastifyInstance): Server[] {
  const found = symbolsOf(app).filter(({ description }) => description === 'fastify.serverBindings')
  return found.flatMap(symbol => (app as unknown as Record<symbol, Server[]>)[symbol]!)
}

/** The server has what its plugins have as prototype. */
const symbolsOf = (level: object | null): symbol[] =>
  level === null ? [] : [...Object.getOwnPropertySymbols(level), ...symbolsOf(Object.getPrototypeOf(level))]
