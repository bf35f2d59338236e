import type { Log } from '../../source/index.ts'
import { sdkVersion } from '../../text/sdk-version.ts'

/** The methods used of a client of ioredis (5, 6) or iovalkey. */
export interface RedisClient {
  readonly status: string
  readonly options?: object
  duplicate (options?: object): RedisClient
  pipeline (commands?: unknown[][]): { exec (): Promise<[error: Error | null, value: unknown][] | null> }
  info (section: string): Promise<string>
  subscribe (channel: string): Promise<unknown>
  on (event: string, listener: (...values: any[]) => void): unknown
  disconnect (): void
}

export interface Listener {
  readonly log: Pick<Log, 'warn'>
  onMessage (message: string): void
  /** Called after a (new) subscription. Earlier messages may have been lost. */
  onSubscribed (): void
}

/** The timeout of a command in milliseconds. */
const commandTimeout = 250
/** The time in milliseconds for which Redis is not used after a failure. */
const pause = 5000
/** With the defaults of ioredis, a command to a dead server hangs for many seconds. */
const wanted = Object.entries({ enableOfflineQueue: false, maxRetriesPerRequest: 0 })

/** A Redis connection that is used while it responds. A failure is logged in one line and never thrown. */
export class RedisConnection {
  readonly #client: RedisClient
  readonly #prefix: string
  #subscriber: RedisClient | undefined
  #listener: Listener | undefined
  /** The run id of the subscribed server; `undefined` without a subscription. */
  #run: string | undefined
  #retry: NodeJS.Timeout | undefined
  /** The number of connections of the subscriber so far. */
  #connections = 0
  #pausedUntil = -Infinity
  /** If `true`, Redis rejected the last commands with an error, as it does with writes when its memory is full. */
  refuses = false
  /** If `true`, the loss of the connection has been logged. */
  #isLost = false

  constructor (client: RedisClient, prefix: string) {
    this.#client = client
    this.#prefix = prefix
  }

  open (listener: Listener): void {
    this.#listener = listener
    const given = Object(this.#client.options)
    const other = wanted.filter(([name, value]) => given[name] !== value)
    if (other.length > 0) {
      const options = other.map(([name, value]) => `${name}: ${value}`).join(', ')
      listener.log.warn({ hint: `Create the client of redisStore with ${options}` }, 'redis options missing')
    }
    const subscriber = this.#subscriber = this.#client.duplicate({
      autoResubscribe: false,
      commandTimeout: undefined,
      lazyConnect: false,
      // Commands must not outlive their connection: a late subscription would make INFO fail on the next connection.
      ...Object.fromEntries(wanted)
    })
    subscriber.on('error', error => this.#lose(error))
    subscriber.on('close', () => this.#lose(new Error('the connection is closed')))
    subscriber.on('message', (_channel: string, message: string) => listener.onMessage(message))
    const subscribe = () => {
      clearTimeout(this.#retry)
      this.#subscribe(subscriber).catch(error => {
        this.#lose(error)
        // If the connection was lost, the next one subscribes.
        if (subscriber.status === 'ready') this.#retry = setTimeout(subscribe, pause).unref()
      })
    }
    subscriber.on('ready', subscribe)
  }

  /**
   * Returns a name with the prefix of this source. It contains the run id of the server, because a restarted server may
   * have restored data that is older than the invalidations that it published.
   */
  name (kind: string): string {
    return `${this.#prefix}${sdkVersion}:${this.#run}:${kind}`
  }

  get #channel (): string {
    // Keys are separate for each database and each prefix of the client. Channels are not.
    const { db = 0, keyPrefix = '' } = Object(this.#client.options)
    return `${keyPrefix}${this.#prefix}${sdkVersion}:${db}:invalidations`
  }

  get isUp (): boolean {
    const { status } = this.#client
    return this.#run !== undefined && performance.now() >= this.#pausedUntil && ['ready', 'wait'].includes(status)
  }

  /** If `true`, the client does not reconnect, because its owner has closed it. */
  get isEnded (): boolean {
    return this.#client.status === 'end'
  }

  /** Returns the command that notifies every replica. */
  publish (message: object): unknown[] {
    return ['publish', this.#channel, JSON.stringify(message)]
  }

  /**
   * Returns the results of the commands, in order; `undefined` if Redis does not respond to all of them within the
   * timeout. Never fails.
   */
  async send (commands: unknown[][]): Promise<unknown[] | undefined> {
    if (!this.isUp) return undefined
    try {
      const answer = this.#client.pipeline(commands).exec()
      let timer: NodeJS.Timeout
      const late = new Promise<never>((_resolve, reject) => {
        // `setImmediate` reads the sockets first: if this process was busy, the response may have arrived already.
        const fail = () => reject(new Error(`no answer within ${commandTimeout} ms`))
        timer = setTimeout(() => setImmediate(fail), commandTimeout)
      })
      const results = await Promise.race([answer, late]).finally(() => clearTimeout(timer))
      const error = results!.find(([error]) => error !== null)?.[0]
      this.refuses = error !== undefined && error?.name === 'ReplyError'
      if (error) throw error
      return results!.map(([, value]) => value)
    } catch (error) {
      this.#pause(error)
      return undefined
    }
  }

  /** Notifies every replica, even within the pause after a failure. Never fails. */
  async tell (message: object): Promise<void> {
    const until = this.#pausedUntil
    this.endPause()
    const { refuses } = this
    await this.send([this.publish(message)])
    this.refuses = refuses
    this.#pausedUntil = Math.max(until, this.#pausedUntil)
  }

  /** Ends the pause after a failure, so that the next command is sent. */
  endPause (): void {
    this.#pausedUntil = -Infinity
  }

  close (): void {
    clearTimeout(this.#retry)
    this.#run = undefined
    this.#isLost = true
    this.#subscriber?.disconnect()
  }

  async #subscribe (subscriber: RedisClient): Promise<void> {
    const connection = ++this.#connections
    const info = await subscriber.info('server')
    await subscriber.subscribe(this.#channel)
    // The next connection may be to another run of the server.
    if (connection !== this.#connections) return
    this.#run = String(/(?<=^run_id:)\w+/m.exec(info))
    this.#isLost = false
    this.#listener!.onSubscribed()
  }

  /** Stops reading from Redis, because changes by other replicas are unknown without a subscription. */
  #lose (error: Error): void {
    this.#run = undefined
    if (this.#isLost) return
    this.#isLost = true
    this.#listener!.log.warn({ reason: error.message }, 'cache store unavailable')
  }

  #pause (error: unknown): void {
    if (!this.isUp) return
    this.#pausedUntil = performance.now() + pause
    this.#listener!.log.warn({ reason: (error as Error).message, pause }, 'cache store paused')
  }
}
