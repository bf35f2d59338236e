import type { ResolveContext } from 'fastify-source-origin'
import type { CombinedSource } from 'fastify-source-origin/combine'

type ContextCall = Parameters<ResolveContext>[0]

/** Another source. */
export interface OtherSource {
  readonly id: string
  readonly name: string
  /**
   * Returns its context for one request, with the login of an account there.
   *
   * @param path of the request
   * @param own default: the login of the settings
   */
  readonly context:
  (call: ContextCall, path: readonly string[], own?: OwnLogin) => CombinedSource | Promise<CombinedSource>
}

/** An account with a separate login at a source. */
export interface OwnLogin { readonly accountName: string, readonly login: string }
