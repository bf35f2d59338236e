export { mostEntries } from './account-queue.ts'
export { AccountQueues, type QueueOffer } from './account-queues.ts'
export { positionOf, sounds } from './queue-now.ts'
export { memoryStore, type SubsonicStore } from './text-store.ts'
