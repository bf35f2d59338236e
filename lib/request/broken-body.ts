import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'

/**
 * A body that cannot be parsed. It is treated as an error of the parameters, so that the app's hooks run before it is
 * reported.
 */
export class BrokenBody {
  readonly error: Error

  constructor (error: Error) {
    this.error = error
  }
}

/** Parses JSON bodies. A parse error becomes the body, because Fastify would respond to an error before all hooks. */
export function parseBodies (app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request: FastifyRequest, text: string, done) => {
    parse(request, text, (error, value) => done(null, error === null ? value : new BrokenBody(error)))
  })
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(null, new BrokenBody(errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE()))
  })
}
