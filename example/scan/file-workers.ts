import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname, join } from 'node:path'
import { limitShare } from '../files/limit-shares.ts'
import { AwaitedTask, type FileWork, type Outcome } from './awaited-task.ts'
import type { FileResult, FileTask } from './file-tasks.ts'
import { FileProcess } from './file-process.ts'

/** Beside this file, in the sources and in the build: there all that is started is in one folder. */
const entry = new URL(`./file-worker${extname(import.meta.url)}`, import.meta.url)
/** Of the whole process. Each begins when those before it are busy. */
const processes = Array.from({ length: Math.min(2, availableParallelism()) }, () => new FileProcess(entry, fill))
const waiting: AwaitedTask[] = []

/**
 * Does something with an audio file of the folder in a process of its own, with limits of memory and of time.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @param signal gives it up when it is aborted
 * @throws AwayError for what may be read another time as it is; the reason of the signal
 */
export function workOnFile<Task extends FileTask> (
  task: Task, root: string, path: string, signal?: AbortSignal
): Promise<FileResult<Task>> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const settle = (outcome: Outcome) => {
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome.value as FileResult<Task>)
    }
    const read = () => new Promise<void>(resolve => begin({ task, root, path }, resolve, settle, signal))
    // On a share, whoever waits for a file to play is first.
    limitShare(join(root, path), read, { signal, priority: -1 }).catch(reject)
  })
}

function begin (work: FileWork, onEnd: () => void, onSettled: (outcome: Outcome) => void, signal?: AbortSignal): void {
  const task = new AwaitedTask(work, onSettled, () => {
    signal?.removeEventListener('abort', giveUp)
    if (signal?.aborted) task.settle(signal.reason)
    onEnd()
  }, signal)
  const giveUp = () => {
    task.settle(signal!.reason)
    for (const process of processes) process.leave(task)
  }
  if (signal !== undefined) setMaxListeners(0, signal)
  signal?.addEventListener('abort', giveUp)
  waiting.push(task)
  fill()
}

/** Gives tasks to the processes that have room, those that run first. */
function fill (): void {
  while (waiting.length > 0) {
    const rank = ({ isRunning, room }: FileProcess) => Number(isRunning) * 100 + room
    const [process] = processes.filter(({ room }) => room > 0).sort((a, b) => rank(b) - rank(a))
    if (process === undefined) return
    const task = waiting.shift()!
    if (task.isSettled) task.end()
    else process.add(task)
  }
}
