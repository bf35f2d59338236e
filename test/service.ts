import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A server of its own for a test, on loopback, ended with the test. */
export interface Service {
  /** Stays the same when the server is stopped and started. */
  readonly url: string
  /** Ends the server, and every connection to it. */
  stop (): Promise<void>
  /** Starts it again with the data it had; resolves when it takes connections. */
  start (): Promise<void>
  /** For example `SIGSTOP`, a server that hangs, and `SIGCONT`. */
  signal (name: NodeJS.Signals): void
}

/** What a test of tap has, and a campaign: what is given to it runs at the end. */
export interface Teardown { teardown (end: () => unknown): void }

/** As PostgreSQL refuses to run as root, servers run as this user then: Debian's `nobody`. */
const ordinaryUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** A folder that a server can write to, gone when the test ends. */
export async function temporaryFolder (t: Teardown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  if (ordinaryUser.uid) await chown(folder, ordinaryUser.uid, ordinaryUser.gid)
  return folder
}

/**
 * A free port below those that the system gives to outgoing connections, so that none of these takes it while the
 * server is stopped.
 */
export async function freePort (): Promise<number> {
  for (;;) {
    const server = createServer()
    try {
      server.listen(15_000 + Math.floor(Math.random() * 17_000), '127.0.0.1')
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    } finally {
      server.close()
    }
  }
}

/** Runs a program to its end as the user that servers run as. */
export async function runProgram (file: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], ...ordinaryUser })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => { said += text })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${said}`)
}

/** Starts a server that says on its output that it is `ready`; it ends on `SIGINT`. */
export async function startService (t: Teardown, { url, file, args, cwd, ready }: {
  url: string, file: string, args: string[], cwd: string, ready: string
}): Promise<Service> {
  let child: ChildProcess | undefined
  const endAtOnce = () => child?.kill('SIGQUIT')

  async function start () {
    const starting = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...ordinaryUser })
    child = starting
    const said: string[] = []
    await new Promise<void>((resolve, reject) => {
      starting.once('error', reject)
      starting.once('close', code => reject(new Error(`${file} ended with ${code}: ${said.join('\n')}`)))
      for (const input of [starting.stdout, starting.stderr]) {
        createInterface(input).on('line', line => {
          said.push(line)
          if (line.includes(ready)) resolve()
        })
      }
    })
  }

  async function stop () {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill('SIGCONT')
    child.kill('SIGINT')
    await closed
  }

  process.once('exit', endAtOnce)
  t.teardown(async () => {
    await stop()
    process.off('exit', endAtOnce)
  })
  await start()
  return { url, start, stop, signal: name => { child?.kill(name) } }
}
