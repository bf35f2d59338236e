import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { token } from '../reference-source.ts'
import { listenFaulty } from './faulty-origin.ts'

t.test('Ctrl-C while it writes: the process undoes its change, then exits with 130', async t => {
  const bin = fileURLToPath(new URL('../../lib/bin.ts', import.meta.url))
  const paths: string[] = []
  const url = await listenFaulty(t, async ({ path, body }, sound) => {
    if (typeof body?.id === 'string' || typeof body?.name === 'string') paths.push(path)
    if (path === '/v1/playlist/update' && body.name !== undefined) {
      child.kill('SIGINT')
      // The change is answered only after the signal has arrived.
      await once(child.stderr!, 'data')
    }
    return sound()
  })
  const child = spawn(process.execPath, [
    ...process.execArgv, bin, 'check', url, '--token', token, '--write', '--only', 'updatePlaylist'
  ])
  let stderr = ''
  child.stderr.on('data', text => { stderr += text })
  const [code] = await once(child, 'exit')
  t.equal(code, 130)
  t.match(stderr, /source-origin: interrupted; the check left no change behind\n$/)
  t.strictSame(paths, ['/v1/playlist/create', '/v1/playlist/update', '/v1/playlist/delete'])
})
