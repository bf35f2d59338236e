import { fileTasks, type FileTask } from './file-tasks.ts'
import { AwayError, inTime } from './in-time.ts'

/** A task with a file; `id` is that of the answer. */
export interface FileJob {
  readonly id: number
  readonly task: FileTask
  /** Real path of the folder. */
  readonly root: string
  /** Relative to it. */
  readonly path: string
}

/** What the worker tells: once that it has begun; of each job what it gives, and when nothing of it goes on. */
export interface FileAnswer {
  readonly id?: number
  readonly value?: unknown
  readonly error?: { readonly message: string, readonly mayRecover: boolean }
  readonly isOver?: boolean
}

/** Does in a worker what a job says. */
export async function answerJob (
  { id, task, root, path }: FileJob, tell: (answer: FileAnswer) => void, tasks: typeof fileTasks = fileTasks
): Promise<void> {
  let isOver = false
  let work: Promise<unknown> | undefined
  const answer: FileAnswer = await inTime('read', signal => {
    work = tasks[task](root, path, signal).finally(() => { isOver = true })
    return work
  }).then(value => ({ value }), (error: NodeJS.ErrnoException) => ({
    error: { message: error.message, mayRecover: error.errno !== undefined || error instanceof AwayError }
  }))
  tell({ id, ...answer, isOver })
  if (isOver) return
  // The system may give it at last.
  await work!.catch(() => {})
  tell({ id, isOver: true })
}
