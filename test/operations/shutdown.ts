import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { folder } from '../example/helper.ts'
import { runExample } from '../example/run-example.ts'

const token = 'the token of the shutdown'

/** A song of more than the buffers of two sockets hold. */
function music (t: Test): string {
  const root = folder(t)
  const tone = ['-f', 'lavfi', '-i', 'sine=440:duration=200', '-ar', '44100', '-ac', '2', '-metadata', 'title=Tone']
  execFileSync('ffmpeg', ['-loglevel', 'error', ...tone, join(root, 'tone.wav')])
  return root
}

t.jobs = 2
for (const delay of [10, 60]) {
  t.test(`SHUTDOWN_DELAY=${delay}: all is answered until then, a paused player holds nothing up`, { buffered: true }, async t => {
    const { child, ended, said, output } = runExample(t, {
      MUSIC_DIR: music(t), SOURCE_API_TOKEN: token, SHUTDOWN_DELAY: String(delay), NODE_ENV: 'production'
    })
    const [, origin = ''] = await said(/listening at (http:[^"]+)/)
    await said(/"scan finished"/)
    const ask = async (path: string): Promise<any> => fetch(origin + path, { headers: { authorization: token } })
    const { data: [{ id }] } = await (await ask('/v1/track/new')).json()
    const { data: { url, size } } = await (await ask(`/v1/track/url?id=${id}`)).json()
    const open = async (): Promise<IncomingMessage> => {
      const [response] = await once(get(url, { agent: false }), 'response')
      return response.on('error', () => {})
    }
    const paused = (await open()).pause()
    const player = await open()

    const began = performance.now()
    const seconds = () => (performance.now() - began) / 1000
    child.kill('SIGTERM')
    await said(/"shutdown announced"/)
    let last = 0
    const statuses = new Set<string>()
    let bytes = 0
    /** Reads as long as requests are answered, and is through right before the delay is over. */
    const playing = (async () => {
      for await (const chunk of player) {
        bytes += chunk.length
        while (seconds() < (delay - 1) * bytes / size) await new Promise(resolve => setTimeout(resolve, 50))
      }
    })()
    while (seconds() < delay + 1) {
      try {
        const [ready, api] = await Promise.all([ask('/ready'), ask('/v1/track/new')])
        statuses.add(`${ready.status} ${api.status}`)
        last = seconds()
      } catch {
        break
      }
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    await playing
    t.equal(bytes, size)
    t.strictSame([...statuses], ['503 200'])
    t.ok(last > delay - 0.5, `requests are answered for ${last} s`)
    t.strictSame(await ended, { code: 0, signal: null })
    t.ok(seconds() < delay + 10, `it has ended after ${seconds()} s`)
    t.notOk(paused.complete)
    t.equal(output.err, '')
    const steps = output.out.split('\n').filter(line => line.startsWith('{')).map(line => JSON.parse(line).msg)
    t.comment(steps.join('\n'))
    const ends = [
      'shutdown announced', 'shutdown started', 'connections closed', 'requests finished', 'data folder released'
    ]
    t.strictSame(steps.filter((event: string) => ends.includes(event)), ends)
  })
}
