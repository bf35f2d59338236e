import { withinTime } from '../async/timed-call.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { ShownSource } from './page-responses.ts'
import type { OwnRoute } from './page-routes.ts'

/** Returns the sources whose state an account may see; empty for others. */
export type ShownSources = (context: RequestContext) => readonly ShownSource[] | Promise<readonly ShownSource[]>

/** Registers the page's own route of the state of several sources. */
export const registerSources = (route: OwnRoute, sources: ShownSources): void =>
  route('GET sources', async ({ context, call }) => ({ items: await withinTime(call, async () => sources(context)) }))
