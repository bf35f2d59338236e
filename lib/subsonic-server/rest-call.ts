import type { FastifyReply, FastifyRequest } from 'fastify'
import { TimedCall } from '../async/timed-call.ts'
import type { Caller, Log } from '../source/index.ts'

/** Who asks the source: the client of one call of `/rest`. */
export class RestCall extends TimedCall implements Caller {
  readonly request: FastifyRequest
  /** Of the login. */
  readonly secrets: string[] = []

  /** @param timeout milliseconds of each call of the host's functions and of the adapter; 0 = no limit */
  constructor (request: FastifyRequest, reply: FastifyReply, timeout: number) {
    super(reply.raw, timeout)
    this.request = request
  }

  get log (): Log {
    return this.request.log
  }
}
