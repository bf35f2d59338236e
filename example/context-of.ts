import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tokenMatches, type ResolveContext } from 'fastify-source-origin'
import { isExternalId } from 'fastify-source-origin/combine'
import { requestOrigin } from 'fastify-source-origin/serve'
import { viewKey } from './catalogue/limits.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { withMade } from './catalogue/qualities.ts'
import { Describer } from './source/describe.ts'
import { FolderSource } from './source/folder-source.ts'
import type { Resources } from './open-resources.ts'
import { hasOthers } from './start/settings.ts'
import { StatefulSource } from './state/stateful-source.ts'

/** Returns the name of the app that has sent a request: the parameter `c` of Subsonic, else the `User-Agent` header. */
function appOf ({ query, headers }: FastifyRequest): string {
  const { c } = query as { c?: unknown }
  return typeof c === 'string' && c !== '' ? c : [headers['user-agent']].join()
}

/** Returns a function that finds the account of a request and creates the adapter of that account. */
export function contextOf (app: FastifyInstance, resources: Resources): ResolveContext {
  const { settings, token, folder, opened, signer, transcoder } = resources
  const profiles = transcoder?.profiles
  const qualitiesOf = (catalogue: Catalogue) => withMade(catalogue.qualities, profiles)
  const keeps = hasOthers(settings) ? isExternalId : undefined
  const baseUrlOf = (request: FastifyRequest) => settings.PUBLIC_URL || requestOrigin(request) + app.prefix
  return async ({ authorization, request }) => {
    if (opened === undefined) {
      if (!tokenMatches(authorization, token)) return null
      const qualityMap = qualitiesOf(folder.catalogue)
      const adapter = new FolderSource(folder, () => new Describer(baseUrlOf(request), signer, { profiles }))
      return { qualityMap, adapter, account: 'owner' }
    }
    const account = await opened.accounts.find(authorization)
    if (account === null) return null
    if (account.tokenId !== null) opened.state.uses.note(account.id, account.tokenId, appOf(request))
    const viewer = await opened.state.viewer(account.id)
    const catalogue = folder.catalogue.within(viewer.limits)
    const favorites = await catalogue.withCurrent(viewer.favorites)
    const describer = () => new Describer(baseUrlOf(request), signer, { profiles, most: viewer.limits.bitrate }, {
      ...viewer, favorites
    })
    const adapter = new StatefulSource(folder, describer, opened.state, viewer, keeps)
    // Each change of an account, on any replica, changes its revision, so that the cache sends no older response.
    const { revision, listener } = viewer
    const sharesPlaying = () => opened.state.isSharing(listener)
    // The id is used instead of the name: a new account may have the name of a deleted one, and must not see the data
    // of that account in the cache and the Subsonic store.
    const accountName = account.id
    return {
      qualityMap: qualitiesOf(catalogue),
      adapter,
      stateless: false,
      account: listener,
      accountName,
      revision,
      // The variant separates cached responses by the music that the account may see.
      ...viewKey(viewer.limits) !== '' && { varyBy: `${baseUrlOf(request)} ${viewKey(viewer.limits)}` },
      sharesPlaying,
      limits: viewer.limits
    }
  }
}
