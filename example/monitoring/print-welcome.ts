import type { FastifyInstance } from 'fastify'
import { hasPage, originOf, signInLinks } from '../start/addresses.ts'
import type { Settings } from '../start/settings.ts'

/**
 * Prints what to open, when the server listens. A token that the source made goes to the terminal this way, not through
 * the log, which may be kept.
 *
 * @param madeToken the token, where the source made it
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
