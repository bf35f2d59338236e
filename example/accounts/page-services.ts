import { BadRequestError, SourceError } from 'fastify-source-origin'
import type { ListenServices } from 'fastify-source-origin/page'
import { connect, connectionsFor, disconnect, type Connecting } from './connect.ts'
import { StartError } from '../start/start-error.ts'

/** Services that users can connect on the page, with a token from the service. */
const byToken = ['listenbrainz']

/** Returns the functions of the page that connect services, like the command. */
export function pageServices (connecting: Connecting): ListenServices {
  return {
    async list ({ accountName }) {
      const all = await connectionsFor({ ...connecting, others: new Map() }, accountName!)
      return all.map(({ service, title, user, problem }) =>
        ({ service, title, user, problem, takesToken: byToken.includes(service) }))
    },
    async connect ({ accountName }, service, token) {
      await told(() => connect(connecting, accountName!, byToken.includes(service) ? service : '', token))
    },
    async disconnect ({ accountName }, service) {
      await told(() => disconnect(connecting, accountName!, service))
    }
  }
}

async function told (run: () => Promise<string>): Promise<void> {
  await run().catch((error: unknown) => {
    throw error instanceof StartError ? new BadRequestError(error.message) : error as SourceError
  })
}
