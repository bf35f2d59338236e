// The pure part, which the page runs in the browser as well.

export {
  editBetween, mostEntries, noQueue, type AccountQueue, type QueueContent, type QueueEdit, type QueueEntry,
  type QueueOperation, type QueueRest
} from './account-queue.ts'
export { DeviceQueue } from './device-queue.ts'
export { type KnownQueue, type QueueAnswer, type QueueRequest } from './exchange.ts'
export { positionOf, sounds, type NowReport, type QueueNow } from './queue-now.ts'
