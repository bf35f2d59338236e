import fastify from 'fastify'
import t from 'tap'
import { forceExit } from '../../lib/serve/force-exit.ts'
import { logged } from '../helper.ts'
import { replace } from '../replace.ts'

t.test('a process that something keeps running after its server is closed says what, and ends', async t => {
  const { lines, logger } = logged()
  const app = fastify({ logger })
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  const ends: unknown[] = []
  replace(t, process, 'exit', (code => { ends.push(code) }) as typeof process.exit)
  replace(t, process, 'getActiveResourcesInfo', () => ['Timeout', 'TCPSocketWrap', 'Timeout'])
  await app.close()
  forceExit(app.log)
  const { args: [end], returned }: any = timers().find(({ args }) => args[1] === 5000)
  t.notOk(returned.hasRef(), 'a process that has nothing open ends at once')
  clearTimeout(returned)
  t.strictSame(ends, [])
  end()
  t.strictSame(ends, [undefined])
  t.match(lines.at(-1), { level: 40, msg: 'exit forced', open: ['Timeout', 'TCPSocketWrap'] })
})
