import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { channelName, type TracedCall } from '../tracing/channels.ts'
import { createNameLabel, outcomeOf } from './labels.ts'

const prefix = 'source_origin_'

/** The buckets in seconds: from cache hits to the timeout. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** The buckets in seconds of processes that take minutes. */
export const longBuckets = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]

/** Callbacks for the calls of a channel besides their duration. */
interface CallEvents<M> {
  readonly onBegin: () => void
  readonly onEnd: (message: M) => void
}

/** A number for each set of labels. */
type Values = (readonly [labels: object, number])[]

/** The metrics of one registry, which are removed together. */
export class Meters {
  readonly #client: typeof import('prom-client')
  readonly #registry: Registry
  readonly #ends: (() => void)[] = []
  readonly #begun = new WeakMap<object, number>()
  /** The label shared by the attempts at upstreams and their state. */
  readonly upstreamLabel = createNameLabel()

  constructor (client: typeof import('prom-client'), registry: Registry) {
    this.#client = client
    this.#registry = registry
  }

  counter<L extends string> (name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new this.#client.Counter(this.#named(name, help, labelNames))
  }

  gauge (name: string, help: string): Gauge {
    return new this.#client.Gauge(this.#named(name, help, []))
  }

  /** Adds a number that is read at each scrape. */
  readGauge (name: string, help: string, labelNames: string[], read: () => Values | Promise<Values>): void {
    const gauge: Gauge = new this.#client.Gauge({
      ...this.#named(name, help, labelNames),
      collect: async () => { for (const [labels, value] of await read()) gauge.set(labels, value) }
    })
  }

  histogram<L extends string> (name: string, help: string, labelNames: L[], seconds = buckets): Histogram<L> {
    return new this.#client.Histogram({ ...this.#named(name, help, labelNames), buckets: seconds })
  }

  /** Observes the duration of each call of a channel in seconds. */
  observe<M extends TracedCall> (
    name: string, histogram: Histogram, labelsOf: (message: M) => object, events?: CallEvents<M>
  ): void {
    const channel = tracingChannel<unknown, M>(channelName(name))
    const start = (message: object) => {
      this.#begun.set(message, performance.now())
      events?.onBegin()
    }
    const over = (message: unknown) => {
      const from = this.#begun.get(message as object)
      // The call began before the subscription.
      if (from === undefined) return
      const labels = { ...labelsOf(message as M), outcome: outcomeOf(message as M) }
      histogram.observe(labels, (performance.now() - from) / 1000)
      events?.onEnd(message as M)
    }
    channel.start.subscribe(start as (message: unknown) => void)
    channel.asyncEnd.subscribe(over)
    this.#ends.push(() => {
      channel.start.unsubscribe(start as (message: unknown) => void)
      channel.asyncEnd.unsubscribe(over)
    })
  }

  /** Calls a function with each message of a channel. `name` is its full name. */
  count (name: string, onMessage: (message: any) => void): void {
    subscribe(name, onMessage)
    this.#ends.push(() => unsubscribe(name, onMessage))
  }

  close (): void {
    for (const end of this.#ends.splice(0)) end()
  }

  #named<L extends string> (name: string, help: string, labelNames: L[]) {
    this.#ends.push(() => this.#registry.removeSingleMetric(prefix + name))
    return { name: prefix + name, help, labelNames, registers: [this.#registry] }
  }
}
