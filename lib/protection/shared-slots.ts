import { isBeyondShare } from '../async/is-beyond-share.ts'

/** Slots that networks share, so that a network without slots gets one. */
export class SharedSlots {
  readonly #most: number
  readonly #ofNetworks = new Map<string, number>()
  #taken = 0

  constructor (most: number) {
    this.#most = most
  }

  /** The number of slots in use. */
  get taken (): number {
    return this.#taken
  }

  /** Returns whether a network has reached its share. */
  isBeyondShare (network: string): boolean {
    return isBeyondShare(this.#ofNetworks.get(network) ?? 0, this.#taken, this.#most)
  }

  /** @param by 1 for a slot that is taken, -1 for a slot that is released */
  count (network: string, by: 1 | -1): void {
    this.#taken += by
    const own = (this.#ofNetworks.get(network) ?? 0) + by
    if (own === 0) this.#ofNetworks.delete(network)
    else this.#ofNetworks.set(network, own)
  }
}
