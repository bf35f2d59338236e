// The page in Firefox: sign in, search, play, next. Firefox is driven by WebDriver BiDi, which needs no other program.
// It does not play without a sound output, so PulseAudio gives it one that nobody hears.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'undici'
import { token, withExample } from './start-example.js'

/** Milliseconds that one step may take, on a busy machine too. */
const longest = 120_000

const preferences = {
  'app.normandy.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false
}

await withExample(async address => {
  const home = await mkdtemp(join(tmpdir(), 'firefox-'))
  await writeFile(join(home, 'user.js'), Object.entries(preferences).map(
    ([name, value]) => `user_pref('${name}', ${JSON.stringify(value)})\n`
  ).join(''))
  const sound = join(home, 'sound')
  const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, PULSE_SERVER: `unix:${sound}` }
  const pulseaudio = spawn('pulseaudio', [
    '-n', '--daemonize=no', '--use-pid-file=no', '--exit-idle-time=-1', '--disable-shm', '--log-level=error',
    '--load=module-null-sink', `--load=module-native-protocol-unix socket=${sound} auth-anonymous=1`
  ], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  while (!existsSync(sound) && pulseaudio.exitCode === null) await setTimeout(50)
  const firefox = spawn('firefox-esr', [
    '--headless', '--no-remote', '--profile', home, '--remote-debugging-port', '0', 'about:blank'
  ], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const exit = once(firefox, 'exit')
  try {
    const send = await connect(firefox)
    await listen(send, address)
    await send('browser.close')
    await exit
  } finally {
    firefox.kill('SIGKILL')
    pulseaudio.kill('SIGKILL')
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
})
console.log('Firefox: the page signs in, searches, plays and goes to the next track')

/** What a listener does on the page. */
async function listen (send, address) {
  const { contexts: [{ context }] } = await send('browsingContext.getTree')
  /** Waits until an expression is true in the page. */
  const until = async expression => {
    const { result: { value } } = await send('script.evaluate', {
      target: { context },
      awaitPromise: true,
      expression: `new Promise(resolve => {
        const end = Date.now() + ${longest / 2}
        const look = () => {
          if (${expression}) resolve('')
          else if (Date.now() > end) resolve(document.title + '\\n' + document.body.innerText)
          else setTimeout(look, 50)
        }
        look()
      })`
    })
    if (value !== '') throw new Error(`It never came: ${expression}\n${value}`)
  }
  const type = text => send('input.performActions', {
    context,
    actions: [{
      type: 'key',
      id: 'keyboard',
      actions: [...text].flatMap(value => [{ type: 'keyDown', value }, { type: 'keyUp', value }])
    }]
  })
  const click = async selector => {
    await until(`document.querySelector('${selector}')`)
    const { nodes: [{ sharedId }] } = await send('browsingContext.locateNodes', {
      context, locator: { type: 'css', value: selector }
    })
    await send('input.performActions', {
      context,
      actions: [{
        type: 'pointer',
        id: 'mouse',
        actions: [
          { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element: { sharedId } } },
          { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }
        ]
      }]
    })
  }
  const enter = '\uE007'
  const plays = index => until(`document.querySelector('.player .seek input').value > 0.3 &&
    document.title.startsWith(document.querySelector('[data-index="${index}"] .title').textContent + ' – ')`)

  await send('browsingContext.navigate', { context, url: address, wait: 'complete' })
  await until("document.activeElement.type === 'password'")
  await type(`${token}${enter}`)
  await until("document.querySelector('#search')")
  await click('#search')
  await type('plume')
  // With all that comes, so that nothing moves under the pointer any more.
  await until(`location.hash.endsWith('/plume') && document.querySelectorAll('.row').length > 1 &&
    document.querySelector('.suggestions li') && !document.querySelector('.waiting')`)
  await click('.row .title')
  await plays(0)
  await click('.player-center [aria-label=Next]')
  await plays(1)
}

/** Gives the function that sends a command and waits for its result. */
async function connect (firefox) {
  const url = await addressOf(firefox)
  const socket = new WebSocket(`${url}/session`)
  await once(socket, 'open', { signal: AbortSignal.timeout(longest) })
  const waiting = new Map()
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, error, message } = JSON.parse(data)
    const { resolve, reject } = waiting.get(id) ?? {}
    waiting.delete(id)
    if (type === 'success') resolve?.(result)
    else reject?.(new Error(`${error}: ${message}`))
  })
  let count = 0
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    const id = ++count
    waiting.set(id, { resolve, reject })
    AbortSignal.timeout(longest).addEventListener('abort', () => reject(new Error(`${method} had no answer`)))
    socket.send(JSON.stringify({ id, method, params }))
  })
  await send('session.new', { capabilities: {} })
  return send
}

async function addressOf ({ stderr }) {
  for await (const line of createInterface(stderr)) {
    const [url] = /ws:\/\/\S+/.exec(line) ?? []
    if (url) {
      stderr.resume()
      return url
    }
  }
  throw new Error('Firefox ended before it listened')
}
