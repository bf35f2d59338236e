import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname, join } from 'node:path'
import { limitShare } from '../files/limit-shares.ts'
import { AwaitedTask, type FileWork, type Outcome } from './awaited-task.ts'
import type { FileResult, FileTask } from './file-tasks.ts'
import { FileProcess } from './file-process.ts'

/** Next to this file, in the sources and in the build, where all entry modules are in one folder. */
const entry = new URL(`./file-worker${extname(import.meta.url)}`, import.meta.url)
/** Shared by this process. Each starts when the others are busy. */
const processes = Array.from({ length: Math.min(2, availableParallelism()) }, () => new FileProcess(entry, fill))
const waiting: AwaitedTask[] = []

/**
 * Runs a task with an audio file of the folder in a separate process, with limits of memory and time.
 *
 * @param root real path of the folder
 * @param path relative to it
 * @param signal abandons the task when it is aborted
 * @throws AwayError if the file may be readable later; the reason of the signal
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
    // On a network share, reads for playback have priority.
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

/** Assigns tasks to processes with free slots, running ones first. */
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
