import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { createServer, connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { locate } from '../services.ts'

const run = promisify(execFile)
const music = fileURLToPath(new URL('../../example/music', import.meta.url))

export const supysonicUser = { username: 'alice', password: 'a secret of Alice' }

async function freePort (): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Resolves when something listens there. */
async function listening (port: number): Promise<void> {
  while (true) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch {
      // Python takes a second or two to start.
      await setTimeout(100)
    } finally {
      socket.destroy()
    }
  }
}

/**
 * Supysonic, a Subsonic server of Debian, with the demo music. Stopped when the test ends.
 *
 * @returns its address
 */
export const startSupysonic = async (t: Test): Promise<string> => (await startMortalSupysonic(t)).url

/**
 * The same, which can be killed, and started again at the same address.
 *
 * @param folder of its music. Default: the demo music
 * @param others passwords of more users, by their names
 */
export async function startMortalSupysonic (t: Test, folder = music, others: Record<string, string> = {}) {
  const file = locate('supysonic')
  const home = t.testdir()
  const env = { ...process.env, HOME: home, NODE_OPTIONS: '' }
  await mkdir(join(home, 'cache'))
  // Supysonic takes files of other names as well, such as the lyrics beside the music.
  await cp(folder, join(home, 'music'), { recursive: true })
  await writeFile(join(home, '.supysonic'), `
[base]
database_uri = sqlite:///${home}/supysonic.db
scanner_extensions = mp3 flac ogg opus m4a
[webapp]
cache_dir = ${home}/cache
log_file = ${home}/web.log
mount_webui = off
[daemon]
socket = ${home}/socket
run_watcher = off
`)
  const cli = (...args: string[]) => run('supysonic-cli', args, { env })
  const users = { [supysonicUser.username]: supysonicUser.password, ...others }
  for (const [name, password] of Object.entries(users)) await cli('user', 'add', name, '-p', password)
  await cli('folder', 'add', 'Demo', join(home, 'music'))
  await cli('folder', 'scan', 'Demo', '-f', '--foreground')
  const port = await freePort()
  let kill = async () => {}
  const start = async () => {
    const server = spawn(file, ['-S', 'waitress', '-h', '127.0.0.1', '-p', String(port)], {
      env, stdio: ['ignore', 'pipe', 'pipe']
    })
    let said = ''
    for (const output of [server.stdout, server.stderr]) output.setEncoding('utf8').on('data', text => { said += text })
    const exit = once(server, 'close')
    kill = async () => {
      server.kill('SIGKILL')
      await exit
    }
    await Promise.race([
      listening(port), exit.then(([code]) => { throw new Error(`supysonic-server ended with ${code}: ${said}`) })
    ])
  }
  t.teardown(() => kill())
  await start()
  return { url: `http://127.0.0.1:${port}`, start, kill: () => kill() }
}
