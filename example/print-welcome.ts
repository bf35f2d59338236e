import type { FastifyInstance } from 'fastify'

/**
 * Prints what to open, when the server listens. A token that was made for this run goes to the terminal this way, not
 * through the log, which may be kept.
 *
 * @param madeToken the token, where it was made for this run
 * @param page whether the source has a page
 */
export function printWelcome (app: FastifyInstance, madeToken: string | undefined, page: boolean): void {
  app.addHook('onListen', async () => {
    const url = app.listeningOrigin.replace(/127\.0\.0\.1|0\.0\.0\.0|\[::1?\]/, 'localhost') + app.prefix
    const lines = [`\n  The source is at ${url}/v1, its description at ${url}/openapi.json`]
    // The token is behind the #, which browsers do not send, and the page takes it out of the address bar.
    if (page) lines.push(`  Listen: ${url}/${madeToken === undefined ? '' : `#token=${madeToken}`}`)
    if (madeToken !== undefined) {
      lines.push(
        '  SOURCE_API_TOKEN is not set, so this run has a token of its own. Try it:',
        `  curl -H 'Authorization: ${madeToken}' '${url}/v1/search/tracks?keyword=a'`
      )
    }
    process.stdout.write(lines.join('\n') + '\n\n')
  })
}
