import { randomBytes } from 'node:crypto'
import { link, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { StartError } from '../start/start-error.ts'
import { makeFolder } from './make-folder.ts'

/** What was claimed. */
export interface Claim {
  /**
   * The owner's socket: it takes connections as long as the owner lives. Whoever connects is given to the claim's
   * `serve`.
   */
  readonly server: Server
  /** Ends the claim, and the connections that are left. */
  release (): Promise<void>
}

const nameOf = (turn: number) => `owner.${turn}`
const turnOf = (name: string) => Number(/^owner\.(\d+)$/.exec(name)?.[1] ?? 0)

/**
 * Claims a folder for this process, until it releases it or ends, however it ends: the claim is a socket in the folder,
 * and the system closes the sockets of a process that is gone. Each claim has the next number, which one process alone
 * can take, and it leaves its name behind: so nobody removes the socket of an owner that lives.
 *
 * @param serve is given the connections of `connectToOwner`
 * @throws StartError when another process has the folder, or sockets cannot be made in it
 */
export async function claimFolder (folder: string, serve: (socket: Socket) => void): Promise<Claim> {
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
    // Nobody may find the socket before it takes connections, so it gets its name then.
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

/** Gives a socket the next name, unless the owner of the last one lives. */
async function takeNextTurn (folder: string, socket: string): Promise<void> {
  let turn: number
  do {
    turn = await lastTurn(folder)
    const owner = await connectTo(folder, turn)
    owner?.destroy()
    if (owner !== undefined) throw new StartError(`DATA_DIR is in use by another process: ${folder}`)
  } while (!await take(socket, join(folder, nameOf(turn + 1))))
  for (const name of await readdir(folder)) {
    // The last one before stays: the numbers must not begin anew for somebody who reads the folder meanwhile.
    const isOld = turnOf(name) > 0 && turnOf(name) < turn
    if (isOld || await isLeft(join(folder, name))) await rm(join(folder, name), { force: true })
  }
}

const temporaryName = () => `owner.${randomBytes(6).toString('hex')}.new`
const isTemporary = /^owner\.[\da-f]{12}\.new$/

/** Milliseconds after which nobody is still claiming a folder. */
const longestClaim = 600_000

/** Whether a file is of a process that was killed before it had claimed the folder. */
async function isLeft (file: string): Promise<boolean> {
  if (!isTemporary.test(basename(file))) return false
  const stats = await stat(file).catch(() => undefined)
  return stats !== undefined && Date.now() - stats.mtimeMs > longestClaim
}

/**
 * Connects to the process that has claimed a folder; `undefined` when there is none.
 *
 * @throws StartError when that cannot be told: the folder is another user's, for example
 */
export async function connectToOwner (folder: string): Promise<Socket | undefined> {
  return connectTo(folder, await lastTurn(folder)).catch(refuse)
}

async function lastTurn (folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  return Math.max(0, ...names.map(turnOf))
}

/** @returns whether the name was free */
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

/** Where files can be made but not these, the file system has none, whatever its error says: systems differ in that. */
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

/** Bytes that every system takes for the path of a socket; a longer one is cut off, and nobody is told. */
const longestPath = 100

/** Runs with a path of a socket that the system takes: a long one leads over a link to its folder for as long. */
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
