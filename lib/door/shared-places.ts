import { isBeyondShare } from '../async/is-beyond-share.ts'

/** SharedPlaces that networks share, so that a network that has none gets one. */
export class SharedPlaces {
  readonly #most: number
  readonly #ofNetworks = new Map<string, number>()
  #taken = 0

  constructor (most: number) {
    this.#most = most
  }

  /** SharedPlaces that are taken. */
  get taken (): number {
    return this.#taken
  }

  /** Whether a network has as many as it may have. */
  isBeyondShare (network: string): boolean {
    return isBeyondShare(this.#ofNetworks.get(network) ?? 0, this.#taken, this.#most)
  }

  /** @param by 1 for a place that is taken, -1 for one that is given back */
  count (network: string, by: 1 | -1): void {
    this.#taken += by
    const own = (this.#ofNetworks.get(network) ?? 0) + by
    if (own === 0) this.#ofNetworks.delete(network)
    else this.#ofNetworks.set(network, own)
  }
}
