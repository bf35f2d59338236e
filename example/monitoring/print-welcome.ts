import type { FastifyInstance } from 'fastify'
import { hasPage, originOf, signInLinks } from '../start/addresses.ts'
import type { Settings } from '../start/settings.ts'

/**
 * Prints the addresses of the source when the server listens. A generated token is printed to the terminal and never
 * logged, since logs may be stored.
 *
 * @param madeToken The token, if the source has generated it
 */
export function printWelcome (app: FastifyInstance, settings: Settings, madeToken: string | undefined): void {
  app.addHook('onListen', async () => {
    const url = originOf(settings, app)
    const lines = [`\n  The source is at ${url}/v1, its description at ${url}/openapi.json`]
    if (hasPage(settings)) {
      lines.push(`  Listen: ${madeToken === undefined ? `${url}/` : signInLinks(settings, app)(madeToken)}`)
    }
    if (madeToken !== undefined) {
      lines.push(
        '  SOURCE_API_TOKEN is not set, so the source made a token. Try it:',
        `  curl -H 'Authorization: ${madeToken}' '${url}/v1/search/tracks?keyword=a'`
      )
    }
    process.stdout.write(lines.join('\n') + '\n\n')
  })
}
