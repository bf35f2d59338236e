import fastify from 'fastify'
import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import t from 'tap'
import { keepLogging } from '../../../example/monitoring/keep-logging.ts'
import { replace } from '../../replace.ts'

const full = '/dev/full'
const skip = !existsSync(full) && 'this system has no disk that is always full'

t.test('a log that cannot be written ends no process, and does not keep one from its end', { skip }, t => {
  const script = `
    import fastify from 'fastify'
    import { keepLogging } from './example/monitoring/keep-logging.ts'
    const app = fastify({ logger: true })
    keepLogging(app)
    keepLogging(app)
    const stream = Object.getOwnPropertySymbols(app.log).map(name => app.log[name]).find(value => value?.flushSync)
    const failed = new Promise(resolve => stream.once('error', resolve))
    app.log.info('a line')
    process.stdout.write('a welcome')
    await failed
    for (let line = 0; line < 3; line++) app.log.info('a line')
    await app.close()
    console.error('closed')
  `
  const { execArgv, execPath } = process
  const { status, stderr } = spawnSync(execPath, [...execArgv, '--input-type=module', '--eval', script], {
    stdio: ['ignore', openSync(full, 'w'), 'pipe'], timeout: 20_000, killSignal: 'SIGKILL'
  })
  t.match(String(stderr), /closed/)
  t.equal(status, 0)
  t.end()
})

for (const [what, logger] of Object.entries({
  'the standard output': 'true', 'a file': "{ file: '/dev/full' }"
})) {
  t.test(`a fatal line before ${what} was found full ends no process, and does not keep one from its end`, { skip }, t => {
    const script = `
      import fastify from 'fastify'
      import { keepLogging } from './example/monitoring/keep-logging.ts'
      const app = fastify({ logger: ${logger} })
      keepLogging(app)
      app.log.info('a line')
      app.log.fatal('a fatal line')
      console.error('goes on')
      process.exit()
    `
    const { execArgv, execPath } = process
    const { status, stderr } = spawnSync(execPath, [...execArgv, '--input-type=module', '--eval', script], {
      stdio: ['ignore', openSync(full, 'w'), 'pipe'], timeout: 20_000, killSignal: 'SIGKILL'
    })
    t.equal(String(stderr), 'goes on\n')
    t.equal(status, 0)
    t.end()
  })
}

t.test('what waits is written at the end where there is room, and where a pipe is busy for a moment', t => {
  const script = `
    import fastify from 'fastify'
    import fs from 'node:fs'
    import { keepLogging } from './example/monitoring/keep-logging.ts'
    import pino from 'pino'
    const app = fastify({ logger: { stream: pino.destination({ dest: 1, sync: false }) } })
    const { writeSync } = fs
    let failures = 0
    const busy = (...args) => {
      if (fs.writeSync !== busy && failures++ < 5) throw Object.assign(new Error('busy'), { code: 'EAGAIN' })
      return writeSync(...args)
    }
    fs.writeSync = busy
    keepLogging(app)
    app.log.info('a line')
    app.log.fatal('a fatal line')
    process.exit(fs.writeSync === busy && failures > 5 ? 0 : 1)
  `
  const { execArgv, execPath } = process
  const { status, stdout } = spawnSync(execPath, [...execArgv, '--input-type=module', '--eval', script])
  t.match(String(stdout), /a fatal line/)
  t.equal(status, 0)
  t.end()
})

t.test('lines that are dropped are counted', async t => {
  let report = () => {}
  replace(t, globalThis, 'setInterval', ((run: () => void) => {
    report = run
    return { unref: () => 0 }
  }) as unknown as typeof setInterval)
  const lines: { lines?: number, msg: string }[] = []
  let flushed = 0
  const stream = Object.assign(new EventEmitter(), {
    write: (line: string) => lines.push(JSON.parse(line)), flushSync () { flushed++ }
  })
  const app = fastify({ logger: { stream } })
  keepLogging(app)
  report()
  stream.emit('error', new Error('no space'))
  for (let line = 0; line < 3; line++) stream.emit('drop')
  report()
  report()
  stream.flushSync()
  t.match(lines, [{ lines: 3, msg: 'log lines dropped' }])
  t.equal(flushed, 1)
  await app.close()
})

t.test('a server without a log, or with one of somebody else, is left alone', async t => {
  for (const logger of [false, { stream: { write () {} } }]) {
    const app = fastify({ logger })
    keepLogging(app)
    t.equal((await app.inject('/')).statusCode, 404)
    await app.close()
  }
})
