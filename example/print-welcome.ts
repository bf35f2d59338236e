import type { FastifyInstance } from 'fastify'

/**
 * Prints what to open, when the server listens. A token that was made for this run goes to the terminal this way, not
 * through the log, which may be kept.
 *
 * @param madeToken the token, where it was made for this run
 */
export function printWelcome (app: FastifyInstance, madeToken: string | undefined): void {
  app.addHook('onListen', async () => {
    const url = app.listeningOrigin.replace(/127\.0\.0\.1|0\.0\.0\.0|\[::1?\]/, 'localhost') + app.prefix
    const lines = [`\n  The source is at ${url}/v1, its description at ${url}/openapi.json`]
    if (madeToken !== undefined) {
      lines.push(
        '  SOURCE_API_TOKEN is not set, so this run has a token of its own. Try it:',
        `  curl -H 'Authorization: ${madeToken}' '${url}/v1/search/tracks?keyword=a'`
      )
    }
    process.stdout.write(lines.join('\n') + '\n\n')
  })
}
