// The pure part, which the page runs in the browser as well.

export { mostEntries, type QueueContent, type QueueOperation, type QueueRest } from './account-queue.ts'
export { DeviceQueue } from './device-queue.ts'
export type { QueueAnswer } from './exchange.ts'
export { positionOf, sounds } from './queue-now.ts'
