export { createMetrics } from './create-metrics.ts'
export type { Metrics, MetricsOptions } from './metrics-options.ts'
