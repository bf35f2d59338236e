import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Test } from 'tap'

/** A program that tests start, which npm may not have installed. */
interface Installed {
  /** The program, or the folder of its programs; `undefined` where it is not installed. */
  find (debian?: string): string | undefined
  /** Debian's packages of it. */
  packages: string
}

const services = {
  Apache: { find: (sbin?: string) => findProgram('apache2', sbin), packages: 'apache2' },
  Caddy: { find: () => findProgram('caddy'), packages: 'caddy' },
  Chromium: {
    // The headless shell has no windows, and needs less CPU for the same page.
    find: () => process.env.CHROMIUM || (findProgram('chromium-headless-shell') ?? findProgram('chromium')),
    packages: 'chromium-headless-shell'
  },
  ffmpeg: { find: () => findProgram('ffmpeg'), packages: 'ffmpeg' },
  HAProxy: { find: (sbin?: string) => findProgram('haproxy', sbin), packages: 'haproxy' },
  mpv: { find: () => findProgram('mpv'), packages: 'mpv' },
  nginx: { find: (sbin?: string) => findProgram('nginx', sbin), packages: 'nginx-light' },
  Prometheus: {
    find: () => findProgram('promtool') === undefined ? undefined : findProgram('prometheus'),
    packages: 'prometheus'
  },
  PostgreSQL: { find: findPostgres, packages: 'postgresql' },
  Redis: { find: () => findProgram('redis-server'), packages: 'redis-server' },
  sqlite3: { find: () => findProgram('sqlite3'), packages: 'sqlite3' },
  supysonic: { find: findSupysonic, packages: 'supysonic python3-waitress' },
  systemd: { find: () => findProgram('systemd-analyze'), packages: 'systemd' },
  Varnish: { find: (sbin?: string) => findProgram('varnishd', sbin), packages: 'varnish' }
} satisfies Record<string, Installed>

export type ServiceName = keyof typeof services

export const serviceNames = Object.keys(services) as ServiceName[]

/** The command that installs a service on Debian. */
export function commandFor (name: ServiceName): string {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  return `${sudo}apt-get install --yes --no-install-recommends ${services[name].packages}`
}

export const isMissing = (name: ServiceName) => services[name].find() === undefined

/** Whether this run starts no services and no browser, as `npm test` without `--all`. */
export const startsNone = () => process.env.TESTS === 'quick'

/** Whether the tests of a service are skipped. With `CI=true` a missing service fails instead. */
export const isSkipped = (name: ServiceName) => startsNone() || (process.env.CI !== 'true' && isMissing(name))

export const reasonFor = (name: ServiceName) => startsNone() ? `needs ${name}` : `${name} is not installed`

/**
 * @param debian where Debian keeps PostgreSQL
 * @throws Error with the command that installs it, where it is missing
 */
export function locate (name: ServiceName, debian?: string): string {
  const { find }: Installed = services[name]
  const found = find(debian)
  if (found === undefined) throw new Error(`${reasonFor(name)}: ${commandFor(name)}`)
  return found
}

/**
 * Skips the tests of `t` that come from now on where a service is not started, or missing without `CI=true`.
 *
 * @param titles skips only those with such a title
 * @returns whether they are skipped
 */
export function skipWithout (name: ServiceName, t: Test, titles = /^/): boolean {
  if (!isSkipped(name)) return false
  const { shouldSkipChild } = t
  t.shouldSkipChild = extra => {
    if (titles.test(extra.name ?? '')) extra.skip ||= reasonFor(name)
    return shouldSkipChild.call(t, extra)
  }
  return true
}

function findProgram (name: string, sbin = '/usr/sbin'): string | undefined {
  // Debian keeps servers where the PATH of people does not lead.
  return [...(process.env.PATH ?? '').split(delimiter), sbin].map(folder => join(folder, name)).find(isExecutable)
}

function isExecutable (file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder of PostgreSQL's programs: Debian's newest, which is out of PATH, or one of PATH. */
function findPostgres (debian = '/usr/lib/postgresql'): string | undefined {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return [...versions.map(version => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter)]
    .find(folder => isExecutable(join(folder, 'initdb')) && isExecutable(join(folder, 'postgres')))
}

let hasWaitress: boolean | undefined

/** Debian installs supysonic without a web server; the program runs with the Python of the system. */
function findSupysonic (): string | undefined {
  hasWaitress ??= spawnSync('/usr/bin/python3', ['-c', 'import waitress']).status === 0
  return hasWaitress ? findProgram('supysonic-server') : undefined
}
