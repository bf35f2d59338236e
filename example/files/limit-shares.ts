import { limitConcurrency } from 'fastify-source-origin'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isInside } from './resolve-inside.ts'

/**
 * File systems that a server or another process answers, or does not. Local disks have no limit, since they are read
 * faster with all threads; those that join or translate local disks are local too.
 */
const remote = /^(9p|afs|autofs|beegfs|ceph|cifs|coda|fuse(?!blk|\.mergerfs|\.shfs)|lustre|nfs|smb|virtiofs)/

/** Threads of Node.js for files, names of hosts (DNS) and cryptography. */
const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4
/** Calls of a share take half of them, those of all shares leave one for everything else. */
const limit = limitConcurrency({ ofKey: Math.max(1, Math.floor(threads / 2)), inAll: Math.max(1, threads - 1) })

/** Whether each mount point is that of a share, by its path. */
let mounts = new Map<string, boolean>()
/** The mount points of shares. */
let shares: readonly string[] = []

interface Wait {
  /** Ends the wait; a call that has begun goes on. */
  readonly signal?: AbortSignal | undefined
  /** Default: 0. Those with more come first. */
  readonly priority?: number
}

/** Looks for shares that were mounted since. Where the system does not tell (macOS, Windows) there are none. */
export function findShares (): void {
  mounts = new Map(listMounts().map(({ path, type }) => [path, remote.test(type)]))
  shares = [...mounts.keys()].filter(path => mounts.get(path) === true)
}

/** What is mounted above a folder, on it and in it: another text when that has changed. It asks no disk. */
export const mountsAround = (folder: string): string => listMounts()
  .filter(({ path }) => isInside(path, folder) || isInside(folder, path)).map(({ line }) => line).join('\n')

function listMounts (): { path: string, type: string, line: string }[] {
  return readMounts().split('\n').flatMap(line => {
    const [, escaped, type] = /^(?:\S+ ){4}(\S+) .* - (\S+) /.exec(line) ?? []
    if (escaped === undefined) return []
    const path = escaped.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))
    return [{ path, type: type!, line }]
  })
}

/**
 * Calls the file system. Of a share that hangs a call may never end, and holds its thread: those of one share wait for
 * each other, so that other files are read all the same.
 *
 * @param path that is asked for: absolute and without links
 * @param call uses one thread at a time
 * @throws what the call throws; the reason of the signal
 */
export function limitShare<T> (
  path: string, call: () => Promise<T>, { signal, priority = 0 }: Wait = {}
): Promise<T> {
  const key = shareOf(path)
  return key === undefined ? call() : limit(call, { key, signal, isBackground: priority < 0 })
}

/** The mount point of the share that a path is in; `undefined` for one on a local disk. */
export function shareOf (path: string): string | undefined {
  if (!shares.some(share => path.startsWith(share))) return undefined
  let folder = path
  while (!mounts.has(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return mounts.get(folder) === true ? folder : undefined
}

function readMounts (): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}
