import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'

/** A body that cannot be read: an error of the parameters, so that hooks of the host run before it is reported. */
export class BrokenBody {
  readonly error: Error

  constructor (error: Error) {
    this.error = error
  }
}

/** Reads JSON bodies. An error of them is the body, and no error yet: Fastify would answer it before all hooks. */
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
