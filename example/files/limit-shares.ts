import { limitConcurrency } from 'fastify-source-origin'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isInside } from './resolve-inside.ts'

/**
 * Types of file systems that depend on a server or another process, which may hang. Local disks are not limited, since
 * all threads together read them faster. File systems that join or translate local disks count as local.
 */
const remote = /^(9p|afs|autofs|beegfs|ceph|cifs|coda|fuse(?!blk|\.mergerfs|\.shfs)|lustre|nfs|smb|virtiofs)/

/** The number of threads that Node.js uses for files, DNS and cryptography. Default: 4. */
const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4
/** Limits the calls of one share to half of the threads. All shares together leave one thread for other work. */
const limit = limitConcurrency({ ofKey: Math.max(1, Math.floor(threads / 2)), inAll: Math.max(1, threads - 1) })

/** The mount points by path, with `true` for a share. */
let mounts = new Map<string, boolean>()
/** The mount points of shares. */
let shares: readonly string[] = []

interface Wait {
  /** Ends the wait for a thread. A call that has begun continues. */
  readonly signal?: AbortSignal | undefined
  /** The priority of the call; a negative one runs in the background. Default: 0. */
  readonly priority?: number
}

/** Updates the list of mounted shares. On systems without a list of mounts (macOS, Windows), no share is found. */
export function findShares (): void {
  mounts = new Map(listMounts().map(({ path, type }) => [path, remote.test(type)]))
  shares = [...mounts.keys()].filter(path => mounts.get(path) === true)
}

/** Returns a string that changes with the mounts above, on and inside a folder. It does not access a disk. */
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
 * Calls the file system, with a limit on concurrent calls for each share. A call to a share that hangs may never end
 * and block its thread. The limit leaves threads for other files.
 *
 * @param path The path of the call: absolute and without links
 * @param call Must use one thread at a time
 * @throws the error of the call, or the reason of the signal
 */
export function limitShare<T> (
  path: string, call: () => Promise<T>, { signal, priority = 0 }: Wait = {}
): Promise<T> {
  const key = shareOf(path)
  return key === undefined ? call() : limit(call, { key, signal, isBackground: priority < 0 })
}

/** Returns the mount point of the share that contains a path; `undefined` for a path on a local disk. */
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
