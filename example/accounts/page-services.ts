import { BadRequestError, SourceError } from 'fastify-source-origin'
import type { ListenServices } from 'fastify-source-origin/page'
import { connect, connectionsFor, disconnect, type Connecting } from './connect.ts'
import { StartError } from '../start/start-error.ts'

/** What the page offers an account of the services that it connects: by a token that people find there. */
const byToken = ['listenbrainz']

/** Services as listeners connect them on the page, as the command does. */
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
