import { elapsed } from '../../async/elapsed.ts'
import type { TranscoderState as RunState } from '../../tracing/channels.ts'

/** Milliseconds without progress after which a process loses its slot to a run that waits. */
export const stall = { ms: 500 }

/** Seconds of audio ahead: with more of it a listener is not in a hurry, and the order of the runs decides. */
export const comfort = 10
/** Seconds of audio ahead that count as equal, so that runs do not alternate at each chunk. */
const step = 2
/** What the scheduler asks a run. */
export interface Task {
  readonly account?: string | undefined
  /**
   * @param hasProcess whether the run can go on where it is
   * @returns seconds of audio that the listener with the fewest has not heard yet; `Infinity` if there is no listener
   */
  ahead (hasProcess: boolean): number
  /** Called with each change of the state; `undefined` is the end. */
  onState?: ((state: RunState | undefined) => void) | undefined
}

/** What a turn tells its scheduler. */
interface Schedule {
  assign: () => void
  mayGoOn: (turn: Turn) => boolean
  leave: () => void
}

/** The place of one run in the schedule. */
export class Turn {
  readonly task: Task
  readonly #schedule: Schedule
  #ended = new AbortController()
  #signal: AbortSignal | undefined
  #state: RunState = 'waiting'
  #hasBegun = false
  #progress = 0
  /** Begins a process, or lets it go on. */
  #go: (() => void) | undefined

  constructor (task: Task, schedule: Schedule) {
    this.task = task
    this.#schedule = schedule
    task.onState?.('waiting')
  }

  get state (): RunState { return this.#state }
  get hasProcess (): boolean { return this.#state !== 'waiting' }
  get isWaiting (): boolean { return this.#go !== undefined }
  /** Milliseconds until it counts as stalled. */
  get stallsIn (): number { return this.#progress + stall.ms - elapsed() }
  /** Whether it has had a slot. */
  get hasBegun (): boolean { return this.#hasBegun }

  /** The most urgent have the lowest. */
  get rank (): number {
    const ahead = this.task.ahead(this.hasProcess)
    return ahead === Infinity ? Infinity : Math.floor(Math.min(Math.max(0, ahead), comfort) / step)
  }

  /** Whether the process had to end for another run: the run enters again then. */
  get isEnded (): boolean { return this.#ended.signal.aborted }

  /**
   * Waits for a slot.
   *
   * @returns the signal that ends the process
   * @throws the reason of the signal
   */
  async enter (signal: AbortSignal): Promise<AbortSignal> {
    this.#ended = new AbortController()
    this.#signal = AbortSignal.any([signal, this.#ended.signal])
    await this.#wait()
    return this.#signal
  }

  /** Notes progress, and waits while other runs are more urgent. @throws the reason of the signal */
  async goOn (): Promise<void> {
    this.#signal!.throwIfAborted()
    this.#progress = elapsed()
    if (this.#state === 'running' && this.#schedule.mayGoOn(this)) return
    this.#change('held')
    await this.#wait()
  }

  /** To be called at the end of the run. */
  leave (): void {
    this.task.onState?.(undefined)
    this.#schedule.leave()
  }

  /** Called by the scheduler. */
  begin (): void {
    this.#hasBegun = true
    this.#progress = elapsed()
    this.#change('running')
    this.#go!()
  }

  /** Called by the scheduler. */
  end (): void {
    this.#change('waiting')
    this.#ended.abort()
  }

  /** Called by the scheduler. */
  hold (): void { this.#change('held') }

  #wait (): Promise<void> {
    const signal = this.#signal!
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const over = () => {
        signal.removeEventListener('abort', giveUp)
        this.#go = undefined
      }
      const giveUp = () => {
        over()
        reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp)
      this.#go = () => {
        over()
        resolve()
      }
      this.#schedule.assign()
    })
  }

  #change (state: RunState): void {
    if (this.#state === state) return
    this.#state = state
    this.task.onState?.(state)
  }
}
