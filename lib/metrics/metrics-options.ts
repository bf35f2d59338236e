import type { Registry } from 'prom-client'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { aBoolean, aFunction, areFunctions, hasMethods } from '../options/member-rules.ts'

export interface MetricsOptions {
  /** Where the metrics are; one of prom-client. Default: one of their own. */
  registry?: Registry | undefined
  /** Whether the metrics of the process (CPU, memory, event loop) are there too. Default: true. */
  process?: boolean | undefined
  /** Made by `createSourceCache`: its size. */
  cache?: { stats (): { readonly entries: number, readonly bytes: number } } | undefined
  /** Made by `createUpstream`, each with another `name`: their queues, breakers and cool-downs. */
  upstreams?: readonly { stats (): UpstreamStats }[] | undefined
  /** Numbers of what the source has; called for each scrape. */
  library?: (() => { readonly tracks: number, readonly albums: number, readonly artists: number }) | undefined
  /** By name, as `readiness` takes them; asked for each scrape. What is not `true` within 2 seconds is not ok. */
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
  /** Of the text, for the header. */
  readonly contentType: string
  /** All metrics, as Prometheus reads them. */
  text (): Promise<string>
  /** Ends the counting, and takes the metrics out of the registry. */
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
