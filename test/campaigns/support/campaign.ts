/** What a campaign gets. It exports `run (campaign: Campaign): Promise<void>` and `count`, the rounds of one run. */
export interface Campaign {
  /** A seed for each round, until there were enough or the time is over. The same seed has to make the same round. */
  readonly rounds: Iterable<number>
  /** Reports a finding of the round that runs. */
  find (what: string): void
}
