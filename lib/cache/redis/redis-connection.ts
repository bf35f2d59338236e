import { sdkVersion } from '../../text/sdk-version.ts'

/** What is used of a client of ioredis (5, 6) or iovalkey. */
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
  warn (message: string): void
  onMessage (message: string): void
  /** From now on every message comes; those before may have been lost. */
  onSubscribed (): void
}

/** Milliseconds that a command may take. */
const commandTimeout = 250
/** Milliseconds for which Redis is not asked after a failure. */
const pause = 5000
/** With ioredis' defaults a command on a dead server hangs for many seconds. */
const wanted = Object.entries({ enableOfflineQueue: false, maxRetriesPerRequest: 0 })

/** A Redis that is used while it answers. A failure is one line in the log and no error. */
export class RedisConnection {
  readonly #client: RedisClient
  readonly #prefix: string
  #subscriber: RedisClient | undefined
  #listener: Listener | undefined
  /** Run of the server that is subscribed to; `undefined` while none is. */
  #run: string | undefined
  #retry: NodeJS.Timeout | undefined
  /** Number of connections that the subscriber has had. */
  #connections = 0
  #pausedUntil = -Infinity
  /** Whether it answered the last commands with an error, as it does to writes when its memory is full. */
  refuses = false
  /** Whether the loss of the connection is in the log. */
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
      listener.warn('Requests wait for a Redis that is dead or slow: ' +
        `make the client of redisStore with the options ${options}`)
    }
    const subscriber = this.#subscriber = this.#client.duplicate({
      autoResubscribe: false,
      commandTimeout: undefined,
      lazyConnect: false,
      // No command outlives its connection: a subscription that comes late makes INFO fail on the next one.
      ...Object.fromEntries(wanted)
    })
    subscriber.on('error', error => this.#lose(error))
    subscriber.on('close', () => this.#lose(new Error('the connection is closed')))
    subscriber.on('message', (_channel: string, message: string) => listener.onMessage(message))
    const subscribe = () => {
      clearTimeout(this.#retry)
      this.#subscribe(subscriber).catch(error => {
        this.#lose(error)
        // Without a connection, the next one subscribes.
        if (subscriber.status === 'ready') this.#retry = setTimeout(subscribe, pause).unref()
      })
    }
    subscriber.on('ready', subscribe)
  }

  /**
   * A name of ours. Another run of the server has other names: what it restored from disk may be older than the
   * invalidations that it published.
   */
  name (kind: string): string {
    return `${this.#prefix}${sdkVersion}:${this.#run}:${kind}`
  }

  get #channel (): string {
    // Names are apart in each database, and with another prefix of the client; channels are not.
    const { db = 0, keyPrefix = '' } = Object(this.#client.options)
    return `${keyPrefix}${this.#prefix}${sdkVersion}:${db}:invalidations`
  }

  get isUp (): boolean {
    const { status } = this.#client
    return this.#run !== undefined && performance.now() >= this.#pausedUntil && ['ready', 'wait'].includes(status)
  }

  /** Whether the client does not connect again: its owner has closed it. */
  get isEnded (): boolean {
    return this.#client.status === 'end'
  }

  /** The command that notifies every replica. */
  publish (message: object): unknown[] {
    return ['publish', this.#channel, JSON.stringify(message)]
  }

  /** What the commands answer, in order; `undefined` when Redis does not answer all of them in time. Never fails. */
  async send (commands: unknown[][]): Promise<unknown[] | undefined> {
    if (!this.isUp) return undefined
    try {
      const answer = this.#client.pipeline(commands).exec()
      let timer: NodeJS.Timeout
      const late = new Promise<never>((_resolve, reject) => {
        // After a look at the sockets: when this process was busy, the answer may be there already.
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

  /** Notifies every replica, also soon after a failure. Never fails. */
  async tell (message: object): Promise<void> {
    const until = this.#pausedUntil
    this.endPause()
    const { refuses } = this
    await this.send([this.publish(message)])
    this.refuses = refuses
    this.#pausedUntil = Math.max(until, this.#pausedUntil)
  }

  /** The next command is sent, also soon after a failure. */
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

  /** What others change is unknown now, so nothing is taken from Redis. */
  #lose (error: Error): void {
    this.#run = undefined
    if (this.#isLost) return
    this.#isLost = true
    this.#listener!.warn(`Redis is not used until it is back: ${error.message}`)
  }

  #pause (error: unknown): void {
    if (!this.isUp) return
    this.#pausedUntil = performance.now() + pause
    this.#listener!.warn(`Redis is not used for ${pause / 1000} s: ${(error as Error).message}`)
  }
}
