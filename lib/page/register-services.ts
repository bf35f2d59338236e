import { withinTime } from '../async/timed-call.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { ListenService } from './page-responses.ts'
import type { OwnRoute } from './page-routes.ts'

/** Each method receives the context of the request. Its errors are shown to the user. */
export interface ListenServices {
  list (context: RequestContext): readonly ListenService[] | Promise<readonly ListenService[]>
  connect (context: RequestContext, service: string, token: string): unknown
  disconnect (context: RequestContext, service: string): unknown
}

/** Registers the page's routes for scrobbling services. */
export function registerServices (route: OwnRoute, services: ListenServices): void {
  route('GET services', async ({ context, call }) =>
    ({ items: await withinTime(call, async () => services.list(context)) }))

  route('POST services', async ({ context, call, parameters: { service, token } }) => {
    call.hide(token)
    await withinTime(call, async () => services.connect(context, service, token))
    return { success: true }
  })

  route('POST services/end', async ({ context, call, parameters: { service } }) => {
    await withinTime(call, async () => services.disconnect(context, service))
    return { success: true }
  })
}
