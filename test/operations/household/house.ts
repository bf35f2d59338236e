import { execFile } from 'node:child_process'
import { cp, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SubsonicAPI } from 'subsonic-api'
import type { Test } from 'tap'
import { folder, tokenIn } from '../../example/helper.ts'
import { runExample } from '../../example/run-example.ts'
import { freePort } from '../../service.ts'
import { startMortalSupysonic, supysonicUser } from '../../subsonic-client/start-supysonic.ts'
import { Listener } from './listener.ts'
import { makeMusic, music, type SourceName } from './music.ts'
import { startSwitch } from './switch.ts'

const run = promisify(execFile)

/** An account at the Subsonic server that is not the owner's. */
const tina = { username: 'tina', password: 'a secret of Tina' }

/** What reads the metrics of a home. */
export const metricsToken = 'token-of-the-metrics'

/** Logins of the owners of homes at the other servers, by the names of their homes. */
const owners = {
  house: supysonicUser,
  shed: { username: 'olga', password: 'a secret of Olga' },
  barn: { username: 'piet', password: 'a secret of Piet' }
}

/** One of the built servers, which can be ended and started again with its data. */
export async function startServer (t: Test, name: string, root: string, env: Record<string, string> = {}) {
  const port = await freePort()
  const all: Record<string, string> & { DATA_DIR: string, SOURCE_API_TOKEN: string } = {
    PORT: String(port),
    MUSIC_DIR: join(root, name),
    DATA_DIR: join(root, `${name} data`),
    NODE_ENV: 'production',
    PAGE: 'true',
    PAGE_TITLE: name,
    SOURCE_API_TOKEN: `the token of the owner of ${name}`,
    ...env
  }
  await mkdir(all.DATA_DIR, { recursive: true })
  let process: ReturnType<typeof runExample>
  const start = async () => {
    process = runExample(t, all, { built: true })
    await process.said(/listening at http/)
    await process.said(/"scan finished"/)
  }
  await start()
  const url = `http://127.0.0.1:${port}`
  const owner = new Listener(url, all.SOURCE_API_TOKEN)
  return {
    url,
    owner,
    dataDir: all.DATA_DIR,
    start,
    /** Ends it as a power cut does. */
    async kill () {
      process.child.kill('SIGKILL')
      await process.ended
    },
    /** Ends it as an update does. @returns its exit code */
    async stop (): Promise<number | null> {
      process.child.kill()
      return (await process.ended).code
    },
    /** What it has logged, a line each. */
    log: (): string[] => process.output.out.split('\n').filter(line => line !== ''),
    errors: () => process.output.err,
    /** What `npm run account` does. */
    async account (args: readonly string[], input = ''): Promise<string> {
      const running = run(globalThis.process.execPath, ['dist/example/account.js', ...args], {
        env: { ...globalThis.process.env, NODE_OPTIONS: '', ...all }
      })
      running.child.stdin!.end(input)
      return (await running).stdout
    }
  }
}

/** Two Subsonic servers, of which one tells of plays, and a friend's source. */
export async function openServers (t: Test) {
  const root = folder(t)
  await makeMusic(root)
  const logins = [tina, ...Object.values(owners)]
  const users = Object.fromEntries(logins.map(({ username, password }) => [username, password]))
  const [supysonic, attic, friend] = await Promise.all([
    startMortalSupysonic(t, join(root, 'subsonic'), users),
    startServer(t, 'attic', root),
    startServer(t, 'friend', root)
  ])
  return { root, supysonic, attic, friend }
}

type Servers = Awaited<ReturnType<typeof openServers>>

/** The data folder of a home. */
export const dataOf = (root: string, name: keyof typeof owners): string => join(root, `${name} data`)

/** Copies the data of a server that does not run. Sockets of killed ones cannot be copied. */
export const copyData = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, filter: async path => !(await lstat(path)).isSocket() })

/** A folder, beside which an owner has other sources by logins of his own. */
export async function openHome (t: Test, { root, supysonic, attic, friend }: Servers, name: keyof typeof owners) {
  const { username, password } = owners[name]
  const [toSubsonic, toFriend] = [await startSwitch(t, supysonic.url), await startSwitch(t, friend.url)]
  const [atAttic, atFriend] = [attic, friend].map(server => server.account(['add', username]))
  const there = {
    subsonic: new Listener(supysonic.url, password, username),
    tina: new Listener(supysonic.url, tina.password, tina.username),
    attic: new Listener(attic.url, tokenIn(await atAttic!)),
    friend: new Listener(friend.url, tokenIn(await atFriend!))
  }
  const env = {
    DATA_DIR: dataOf(root, name),
    METRICS_TOKEN: metricsToken,
    SUBSONIC_URL: toSubsonic.url,
    SUBSONIC_USER: username,
    SUBSONIC_PASSWORD: password,
    SUBSONIC_URL_2: attic.url,
    SUBSONIC_USER_2: username,
    SUBSONIC_PASSWORD_2: there.attic.token,
    SOURCE_URL: toFriend.url,
    SOURCE_TOKEN: there.friend.token
  }
  const home = await startServer(t, 'home', root, env)
  return {
    root,
    /** The settings of the home. */
    env,
    home,
    friend,
    owner: home.owner,
    /** A client of Subsonic apps, as the owner. */
    api: new SubsonicAPI({ url: home.url, auth: { username: 'owner', password: home.owner.token } }),
    /** The owner and somebody else at the other servers themselves. */
    there,
    switches: { subsonic: toSubsonic, friend: toFriend }
  }
}

export type Home = Awaited<ReturnType<typeof openHome>>

/** A home with accounts: an adult, a child that sees a part of the folder, and one with a login at another source. */
export async function addPeople (home: Home) {
  const { account, url } = home.home
  /** Makes an account with limits, one after the other. */
  const add = async (name: string, ...limits: string[]) => {
    const token = tokenIn(await account(['add', name]))
    for (const limit of limits) await account(['allow', name, ...limit.split(' ')])
    return new Listener(url, token, name)
  }
  const [adult, child, teen] = await Promise.all([
    add('adult'),
    add('child', 'folders Kids', 'explicit off', 'bitrate 96', 'download off', 'delete off'),
    add('teen', 'download off', 'delete off')
  ])
  await account(['connect', 'teen', 'subsonic'], `${tina.username}\n${tina.password}\n`)
  return { ...home, adult, child, teen }
}

export type House = Awaited<ReturnType<typeof addPeople>>

/** Where the file of a song is. */
export const fileOf = (house: Pick<Home, 'root'>, source: SourceName, title: string): string =>
  join(house.root, source, music[source].find(song => song.title === title)!.path)
