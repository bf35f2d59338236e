import type { Registry } from 'prom-client'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { aBoolean, aFunction, areFunctions, hasMethods } from '../options/member-rules.ts'

export interface MetricsOptions {
  /** The registry of prom-client. Default: a new one. */
  registry?: Registry | undefined
  /** If `true`, adds the metrics of the process (CPU, memory, event loop). Default: true. */
  process?: boolean | undefined
  /** The cache created by `createSourceCache`, whose size is measured. */
  cache?: { stats (): { readonly entries: number, readonly bytes: number } } | undefined
  /** The upstreams created by `createUpstream`, each with another `name`: their queues, breakers and cool-downs. */
  upstreams?: readonly { stats (): UpstreamStats }[] | undefined
  /** Returns item counts of the source; called at each scrape. */
  library?: (() => { readonly tracks: number, readonly albums: number, readonly artists: number }) | undefined
  /**
   * The checks by name, as in `readiness`; called at each scrape. A check that does not return `true` within 2 seconds
   * fails.
   */
  checks?: Readonly<Record<string, () => unknown>> | undefined
}

interface UpstreamStats {
  readonly name: string
  readonly running: number
  readonly waiting: number
  readonly breaker: 'closed' | 'open'
  readonly cooldowns: number
}

/** The metrics of a process. */
export interface Metrics {
  /** The value of the `Content-Type` header of the text. */
  readonly contentType: string
  /** Returns all metrics in the format of Prometheus. */
  text (): Promise<string>
  /** Ends the measurement and removes the metrics from the registry. */
  close (): void
}

const hasStats = hasMethods('stats')

const rules = optional({
  registry: { must: 'a Registry of prom-client', holds: hasMethods('registerMetric') },
  process: aBoolean,
  cache: { must: 'made by createSourceCache', holds: hasStats },
  upstreams: {
    must: 'a list of upstreams made by createUpstream',
    holds: value => Array.isArray(value) && value.every(hasStats)
  },
  library: aFunction,
  checks: areFunctions
} satisfies Record<keyof MetricsOptions, MemberRule>)

/** @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option */
export const validateMetricsOptions = (options: MetricsOptions): void => validateMembers(options, rules)
