import type { PlaylistSortOption, QualityOption } from '../../schemas/index.ts'
import { inferCapabilities } from '../source/infer-capabilities.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { RequestContext, SourceContext } from '../contract/source-context.ts'

/** What `resolveContext` gave for a request, with its defaults. */
export class ResolvedContext implements RequestContext {
  readonly adapter: SourceAdapter
  readonly stateless: boolean
  readonly qualityMap: readonly QualityOption[] | undefined
  readonly playlistSortOptions: readonly PlaylistSortOption[] | undefined
  readonly accountName: string | undefined
  readonly account: string | undefined
  readonly variant: string | undefined
  #capabilities: readonly string[] | undefined

  constructor ({ adapter, stateless, qualityMap, playlistSortOptions, accountName, account, variant }: SourceContext) {
    this.adapter = adapter
    this.stateless = stateless !== false
    this.qualityMap = qualityMap ?? undefined
    this.playlistSortOptions = playlistSortOptions ?? undefined
    this.accountName = accountName
    this.account = account ?? undefined
    this.variant = variant ?? undefined
  }

  /** Found out when it is first read, since few requests need it. */
  get capabilities (): readonly string[] {
    this.#capabilities ??= inferCapabilities(this.adapter, this)
    return this.#capabilities
  }
}
