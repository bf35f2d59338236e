import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { rawAnswer } from '../../faulty-upstream.ts'
import { freePort, type Teardown } from '../../service.ts'

/** A login page of a network, as an answer to anything. */
const portal = rawAnswer('<!doctype html><title>Sign in</title>', 200, { 'content-type': 'text/html' })
const rejected = '{"subsonic-response":{"status":"failed","version":"1.12.0","error":{"code":40,"message":"Wrong"}}}'

/** What a server answers to everything, by the name of the fault. */
const answers = {
  500: rawAnswer('{"code":500,"message":"broken","data":null}', 500),
  401: rawAnswer('{"code":401,"message":"Unauthorized","data":null}', 401),
  login: rawAnswer(rejected),
  garbage: rawAnswer('{"subsonic-response":{"status":"ok","data":[{"id":'),
  portal,
  noise: Buffer.from('\u0000\u0001SSH-2.0-what\r\n\r\n')
}

/** Milliseconds from one byte to the next of a server that is slow. */
const bytePace = 100

export type Mode = 'pass' | 'refuse' | 'hang' | 'slow' | `${keyof typeof answers}`

/** A port in front of a server, that does what goes wrong there. Each change ends the connections that it has. */
export async function startSwitch (t: Teardown, target: string) {
  const port = await freePort()
  const to = Number(new URL(target).port)
  const sockets = new Set<Socket>()
  let mode: Mode = 'pass'
  const requests: string[] = []
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => {})
    return socket
  }
  const server = createServer(client => {
    keep(client).on('data', chunk => { requests.push(chunk.subarray(0, chunk.indexOf('\r\n')).toString()) })
    if (mode === 'pass' || mode === 'slow') {
      const there = keep(connect(to, '127.0.0.1'))
      client.pipe(there)
      if (mode === 'pass') there.pipe(client)
      else dribble(there, client)
      for (const [one, other] of [[client, there], [there, client]] as const) one.once('close', () => other.destroy())
    } else if (mode !== 'hang') {
      const answer = answers[mode as keyof typeof answers]
      client.on('data', () => client.write(answer))
    }
  })
  const listen = async () => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const end = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  t.teardown(end)
  await listen()
  return {
    url: `http://127.0.0.1:${port}`,
    /** The first lines of what has arrived. */
    requests,
    async set (next: Mode) {
      await end()
      mode = next
      if (mode !== 'refuse') await listen()
    }
  }
}

/** Passes a byte at a time. */
function dribble (from: Socket, to: Socket): void {
  const waiting: Buffer[] = []
  from.on('data', chunk => { waiting.push(chunk) })
  const timer = setInterval(() => {
    const [first, ...rest] = waiting
    if (first === undefined) return
    to.write(first.subarray(0, 1))
    waiting.splice(0, Infinity, ...first.length > 1 ? [first.subarray(1)] : [], ...rest)
  }, bytePace)
  to.once('close', () => clearInterval(timer))
}
