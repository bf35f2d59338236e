import { randomBytes } from 'node:crypto'
import { link, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { StartError } from '../start/start-error.ts'
import { makeFolder } from './make-folder.ts'

/** The claim of a folder by this process. */
export interface Claim {
  /**
   * The owner's server. It accepts connections while the owner runs, and passes them to the `serve` callback of the
   * claim.
   */
  readonly server: Server
  /** Ends the claim and closes its open connections. */
  release (): Promise<void>
}

const nameOf = (turn: number) => `owner.${turn}`
const turnOf = (name: string) => Number(/^owner\.(\d+)$/.exec(name)?.[1] ?? 0)

/**
 * Claims a folder for this process until the process releases it or ends, for any reason. The claim is a socket in the
 * folder, and the operating system closes the sockets of a process that ends. Each claim takes the next number, which
 * only one process can take. The file of a claim stays in the folder when the claim ends, so that no process removes
 * the socket of a running owner.
 *
 * @param serve Called with each connection of `connectToOwner`
 * @throws StartError if another process has claimed the folder, or if no socket can be created in the folder
 */
export async function lockDataDir (folder: string, serve: (socket: Socket) => void): Promise<Claim> {
  await makeFolder(folder).catch(refuse)
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    serve(socket)
  })
  const temporary = join(folder, temporaryName())
  const release = () => new Promise<void>(resolve => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })
  try {
    // Other processes must not find the socket before it accepts connections, so it gets its final name afterwards.
    await listen(server, temporary)
    await takeNextTurn(folder, temporary)
  } catch (error) {
    await release()
    throw error instanceof StartError ? error : await refusalOf(folder, error as NodeJS.ErrnoException)
  } finally {
    await remove(temporary)
  }
  return { server, release }
}

/** Links a socket to the name with the next number, unless the owner of the last number still runs. */
async function takeNextTurn (folder: string, socket: string): Promise<void> {
  let turn: number
  do {
    turn = await lastTurn(folder)
    const owner = await connectTo(folder, turn)
    owner?.destroy()
    if (owner !== undefined) throw new StartError(`DATA_DIR is in use by another process: ${folder}`)
  } while (!await take(socket, join(folder, nameOf(turn + 1))))
  for (const name of await readdir(folder)) {
    // The file of the previous claim stays: a process that reads the folder meanwhile must not count from 0 again.
    const isOld = turnOf(name) > 0 && turnOf(name) < turn
    if (isOld || await isLeft(join(folder, name))) await rm(join(folder, name), { force: true })
  }
}

const temporaryName = () => `owner.${randomBytes(6).toString('hex')}.new`
const isTemporary = /^owner\.[\da-f]{12}\.new$/

/** The time in milliseconds after which a temporary file is left over from a process that was killed. */
const longestClaim = 600_000

/** Checks whether a file is left over from a process that was killed before it had claimed the folder. */
async function isLeft (file: string): Promise<boolean> {
  if (!isTemporary.test(basename(file))) return false
  const stats = await stat(file).catch(() => undefined)
  return stats !== undefined && Date.now() - stats.mtimeMs > longestClaim
}

/**
 * Connects to the process that has claimed a folder.
 *
 * @returns `undefined` if no process has claimed the folder
 * @throws StartError if the connection fails for another reason, such as a folder of another user
 */
export async function connectToOwner (folder: string): Promise<Socket | undefined> {
  return connectTo(folder, await lastTurn(folder)).catch(refuse)
}

async function lastTurn (folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  return Math.max(0, ...names.map(turnOf))
}

/** Links a socket to a name, and returns `false` if the name is already taken. */
async function take (socket: string, name: string): Promise<boolean> {
  try {
    await link(socket, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const refusal = (message: string) =>
  new StartError(`DATA_DIR must be a folder that the source may write to: ${message}`)

function refuse ({ message }: Error): never {
  throw refusal(message)
}

const makes: Readonly<Record<string, string>> = { listen: 'sockets', link: 'hard links' }

/**
 * Returns the error for a failed claim. If the folder is writable and only sockets or hard links fail, the file system
 * does not support them. The error codes for that differ between systems, so they are not checked.
 */
async function refusalOf (folder: string, { syscall, message }: NodeJS.ErrnoException): Promise<StartError> {
  const missing = makes[`${syscall}`]
  if (missing === undefined || !await isWritable(folder)) return refusal(message)
  return new StartError(`DATA_DIR is on a file system without ${missing}, such as exFAT or a share. Choose a folder ` +
    `on a disk of this machine, or a volume of Docker; MUSIC_DIR may stay where it is: ${message}`)
}

async function isWritable (folder: string): Promise<boolean> {
  const file = join(folder, temporaryName())
  const isMade = await writeFile(file, 'x').then(() => true, () => false)
  await remove(file)
  return isMade
}

const remove = (file: string) => rm(file, { force: true }).catch(() => {})

/** The length in bytes of a socket path that every system accepts. Systems truncate longer paths without an error. */
const longestPath = 100

/** Calls `run` with a short path of a socket. For a long path, it creates a temporary link to the folder. */
async function withShortPath<T> (file: string, run: (path: string) => Promise<T>): Promise<T> {
  const [path] = [relative('', file), file].sort((a, b) => a.length - b.length) as [string, string]
  if (Buffer.byteLength(path) <= longestPath) return run(path)
  const own = await mkdtemp(join(tmpdir(), 'owner-'))
  try {
    await symlink(dirname(file), join(own, 'd'))
    return await run(join(own, 'd', basename(file)))
  } finally {
    await rm(own, { recursive: true })
  }
}

function listen (server: Server, file: string): Promise<void> {
  return withShortPath(file, path => new Promise((resolve, reject) => {
    server.once('error', reject).listen(path, () => {
      server.off('error', reject).unref()
      resolve()
    })
  }))
}

function connectTo (folder: string, turn: number): Promise<Socket | undefined> {
  return withShortPath(join(folder, nameOf(turn)), path => new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined)
      else reject(error)
    })
  }))
}
