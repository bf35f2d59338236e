import type { FastifyBaseLogger } from 'fastify'
import { limitConcurrency } from 'fastify-source-origin'
import type { Encryption } from 'fastify-source-origin/accounts'
import type { SourceStatus } from 'fastify-source-origin/combine'
import { LRUCache } from 'lru-cache'
import { waitAtMost } from '../database/wait-at-most.ts'
import { lruOptions } from '../text/lru-options.ts'
import { whenRenewed, type Connection, type Listen, type Listened, type Listens } from '../state/listens.ts'
import { openSecret } from './secrets.ts'
import { readable, ServiceError, type Service, type Services } from './service-client.ts'

/** Pauses of the sender in milliseconds. */
export const pauses = {
  /** The time for which a connection is claimed. Then another replica may send the scrobbles of a killed process. */
  claim: 60_000,
  /** The pause after the first failure. It doubles with each further failure. */
  least: 5000,
  most: 900_000,
  /** The interval of the check for scrobbles that other replicas have queued. */
  look: 30_000
}

/** The timeout of running calls at shutdown in milliseconds. */
const closeTimeout = 2000
/**
 * The maximum number of consecutive rejected scrobbles. The rest is sent later, because the service may reject all of
 * them.
 */
export const mostRefused = 10
/** The maximum numbers of concurrent and waiting now-playing notifications. They lose their value quickly. */
const mostNotes = { atOnce: 4, waiting: 100 }

/** Sends scrobbles from the queue in the database, and now-playing notifications, to the services of accounts. */
export class ListenSender {
  readonly #listens: Listens
  readonly #services: Services
  readonly #seal: Encryption
  readonly #log: Pick<FastifyBaseLogger, 'warn' | 'info'>
  readonly #limitNotes = limitConcurrency({ inAll: mostNotes.atOnce })
  readonly #notes = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  /** The last play with a now-playing notification, by account. */
  readonly #noted = new LRUCache<string, string>(lruOptions(10_000))
  /** The availability of the called services, by name. */
  readonly #states = new Map<string, SourceStatus>()
  #wake = () => {}
  #isAwake = false
  #running: Promise<void> | undefined

  constructor (listens: Listens, services: Services, seal: Encryption, log: Pick<FastifyBaseLogger, 'warn' | 'info'>) {
    this.#listens = listens
    this.#services = services
    this.#seal = seal
    this.#log = log
  }

  /** The availability of the called services after their last calls. */
  get states (): readonly SourceStatus[] { return [...this.#states.values()] }

  /** @param reason the reason if it is unavailable; `undefined` if it is available */
  #noteState (id: string, name: string, reason: string | undefined): void {
    const available = reason === undefined
    const known = this.#states.get(id)
    const since = known?.available === available ? known.since : Date.now()
    this.#states.set(id, { id, name, available, since, reason })
  }

  /** @param isAlone whether no other process uses the database */
  start (isAlone: boolean): void {
    this.#listens.onQueued = () => this.#wakeUp()
    this.#listens.onPlaying = (account, play, listened) => this.#notePlaying(account, play, listened)
    this.#running = this.#run(isAlone)
  }

  /** Checks the queue at once. */
  #wakeUp (): void {
    this.#isAwake = true
    this.#wake()
  }

  /** Sends the current play of an account in the background, once for each play. */
  #notePlaying (account: string, play: string, listened: Listened): void {
    if (this.#noted.get(account) === play || this.#notes.size >= mostNotes.atOnce + mostNotes.waiting) return
    this.#noted.set(account, play)
    const note = this.#limitNotes(async () => {
      for (const connection of await this.#listens.list(account)) {
        const [service, secret] = [this.#services.get(connection.service), openSecret(this.#seal, connection)]
        if (service !== undefined && secret !== undefined && connection.problem === '') {
          await service.nowPlaying(secret, listened)
        }
      }
      // Errors are ignored here, because a later scrobble reports them.
    }, { signal: this.#closing.signal }).catch(() => {}).finally(() => { this.#notes.delete(note) })
    this.#notes.add(note)
  }

  /** Ends running calls. Their scrobbles stay in the queue. */
  async close (): Promise<void> {
    this.#closing.abort()
    this.#wakeUp()
    await Promise.all([...this.#services.values()].map(service => service.close()))
    await waitAtMost(closeTimeout, Promise.all([this.#running, ...this.#notes]))
  }

  async #run (isAlone: boolean): Promise<void> {
    // A killed process may have left claimed connections.
    if (isAlone) await this.#listens.release().catch(() => {})
    while (!this.#closing.signal.aborted) {
      this.#isAwake = false
      // The database may be unavailable.
      const wait = await this.#round().catch(() => pauses.least)
      if (!this.#isAwake) await this.#sleep(wait)
    }
  }

  #sleep (ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** @returns the time in milliseconds until the next check */
  async #round (): Promise<number> {
    const names = [...this.#services.keys()]
    const due = await this.#listens.due(names, Date.now())
    await Promise.all(names.map(async name => {
      for (const connection of due.filter(({ service }) => service === name)) {
        await this.#sendOne(connection, this.#services.get(name)!)
      }
    }))
    const next = await this.#listens.nextAt(names) ?? Infinity
    return Math.min(Math.max(next - Date.now(), 0), pauses.look)
  }

  /** Sends one batch of an account. */
  async #sendOne (connection: Connection, service: Service): Promise<void> {
    const now = Date.now()
    if (!await this.#listens.claim(connection, now, now + pauses.claim)) return
    const { account, tries, problem } = connection
    const secret = openSecret(this.#seal, connection)
    try {
      if (secret === undefined) throw new ServiceError('login', 'its secret was sealed with another key')
      const wait = await this.#tell(service, secret, await this.#listens.waiting(connection, service.most), account)
      this.#noteState(connection.service, service.title, undefined)
      if (problem !== '') this.#log.info({ service: service.title, account }, 'scrobbling resumed')
      await this.#listens.note(connection, { next_at: Date.now() + wait, tries: 0, problem: '' })
    } catch (error) {
      if (this.#closing.signal.aborted) {
        // The call was aborted by the shutdown, so the failure is not counted.
        await this.#listens.note(connection, { next_at: now, tries, problem })
        return
      }
      const { kind, wait } = error instanceof ServiceError ? error : { kind: 'later', wait: 0 }
      const message = error instanceof ServiceError
        ? readable(error.message, secret)
        : `${service.title} cannot be reached`
      const least = Math.max(wait, Math.min(pauses.least * 2 ** tries, pauses.most))
      // A login error concerns only one account.
      if (kind !== 'login') this.#noteState(connection.service, service.title, message)
      const next = kind === 'login' ? whenRenewed : Date.now() + least
      await this.#listens.note(connection, { next_at: next, tries: Math.min(tries + 1, 30), problem: message })
      if (kind !== 'login' && problem !== '') return
      const hint = kind === 'login' ? `Run npm run account -- connect ${account} ${connection.service}` : undefined
      this.#log.warn({ service: service.title, account, reason: message, hint }, 'scrobbling paused')
    }
  }

  /**
   * @param refused the number of consecutive rejected scrobbles
   * @returns the time in milliseconds to wait before the next batch
   */
  async #tell (
    service: Service, secret: string, listens: readonly Listen[], account: string, refused = { count: 0 }
  ): Promise<number> {
    try {
      const { wait, later, ignored = 0 } = await service.tell(secret, listens)
      refused.count = 0
      if (ignored > 0) this.#log.warn({ service: service.title, account, count: ignored }, 'scrobbles ignored')
      await this.#listens.told(listens.filter(listen => !later.includes(listen)))
      return wait
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'refused') throw error
      if (listens.length === 1) {
        const reason = readable(error.message, secret)
        this.#log.warn({ service: service.title, account, title: listens[0]!.title, reason }, 'scrobble rejected')
        await this.#listens.told(listens)
        if (++refused.count === mostRefused) throw new ServiceError('later', error.message)
        return 0
      }
      // The service rejected the batch because of an invalid scrobble, so each half is sent separately.
      const half = Math.ceil(listens.length / 2)
      await this.#tell(service, secret, listens.slice(0, half), account, refused)
      return this.#tell(service, secret, listens.slice(half), account, refused)
    }
  }
}
