import type { Test } from 'tap'
import type { FileAnswer, FileJob } from '../../example/scan/answer-job.ts'
import { ChildWorker } from '../../example/scan/child-worker.ts'
import { replace } from '../replace.ts'

/** A task that a worker gets. */
export interface Given extends FileJob {
  /** Answers in place of the worker. */
  readonly answer: (answer: FileAnswer) => void
}

/**
 * Until the test ends or what is returned is called, the test sees each task with a file before the worker does.
 *
 * @param see gives `false` where the worker is not to get it
 */
export function followFiles (t: Test, see: (job: Given) => unknown): () => void {
  const { postMessage } = ChildWorker.prototype
  let isOver = false
  replace(t, ChildWorker.prototype, 'postMessage', function (this: ChildWorker, job: FileJob) {
    const answer = (answer: FileAnswer) => this.emit('message', { id: job.id, ...answer })
    const isMeant = isOver || see({ ...job, answer }) !== false
    if (isMeant) postMessage.call(this, job)
  })
  return () => { isOver = true }
}
