import type { Test } from 'tap'
import { Worker } from 'node:worker_threads'
import type { FileAnswer, FileJob } from '../../example/scan/answer-job.ts'
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
  const { postMessage } = Worker.prototype
  let isOver = false
  replace(t, Worker.prototype, 'postMessage', function (this: Worker, job: FileJob, ...more: any[]) {
    const answer = (answer: FileAnswer) => this.emit('message', { id: job.id, ...answer })
    const isMeant = isOver || job.task === undefined || see({ ...job, answer }) !== false
    if (isMeant) postMessage.call(this, job, ...more)
  })
  return () => { isOver = true }
}
