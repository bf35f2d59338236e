import { fileTasks, type FileTask } from './file-tasks.ts'
import { AwayError, inTime } from './in-time.ts'

/** A task with a file. `id` is repeated in the response. */
export interface FileJob {
  readonly id: number
  readonly task: FileTask
  /** The real path of the folder. */
  readonly root: string
  /** The path relative to the folder. */
  readonly path: string
}

/** A message of the worker: once when it has started; for each job its result, and when it has ended. */
export interface FileAnswer {
  readonly id?: number
  readonly value?: unknown
  readonly error?: { readonly message: string, readonly mayRecover: boolean }
  readonly isOver?: boolean
}

/** Runs a job in a worker. */
export async function answerJob (
  { id, task, root, path }: FileJob, send: (answer: FileAnswer) => void, tasks: typeof fileTasks = fileTasks
): Promise<void> {
  let isOver = false
  let work: Promise<unknown> | undefined
  const answer: FileAnswer = await inTime('read', signal => {
    work = tasks[task](root, path, signal).finally(() => { isOver = true })
    return work
  }).then(value => ({ value }), (error: NodeJS.ErrnoException) => ({
    error: { message: error.message, mayRecover: error.errno !== undefined || error instanceof AwayError }
  }))
  send({ id, ...answer, isOver })
  if (isOver) return
  // The system may still complete it.
  await work!.catch(() => {})
  send({ id, isOver: true })
}
