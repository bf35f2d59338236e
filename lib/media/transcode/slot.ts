import { elapsed } from '../../async/elapsed.ts'
import type { TranscoderState as RunState } from '../../tracing/channels.ts'

/** Milliseconds without progress after which a process loses its slot to a waiting run. */
export const stall = { ms: 500 }

/** Seconds of audio ahead. A listener with more is not urgent, and the order of the runs decides. */
export const comfort = 10
/** Seconds of audio ahead that count as equal, so that runs do not alternate with each chunk. */
const step = 2
/** The interface between a run and the scheduler. */
export interface Task {
  readonly account?: string | undefined
  /**
   * @param hasProcess whether the run can continue in its process
   * @returns the fewest seconds of audio that a listener has left to play; `Infinity` without listeners
   */
  ahead (hasProcess: boolean): number
  /** Called with each change of the state; `undefined` means the end. */
  onState?: ((state: RunState | undefined) => void) | undefined
}

/** The interface of the scheduler for a turn. */
interface Schedule {
  assign: () => void
  mayGoOn: (turn: Slot) => boolean
  leave: () => void
}

/** The entry of one run in the schedule. */
export class Slot {
  readonly task: Task
  readonly #schedule: Schedule
  #ended = new AbortController()
  #signal: AbortSignal | undefined
  #state: RunState = 'waiting'
  #hasBegun = false
  #progress = 0
  /** Starts a process, or lets it continue. */
  #go: (() => void) | undefined

  constructor (task: Task, schedule: Schedule) {
    this.task = task
    this.#schedule = schedule
    task.onState?.('waiting')
  }

  get state (): RunState { return this.#state }
  get hasProcess (): boolean { return this.#state !== 'waiting' }
  get isWaiting (): boolean { return this.#go !== undefined }
  /** Milliseconds until the process counts as stalled. */
  get stallsIn (): number { return this.#progress + stall.ms - elapsed() }
  /** Whether the run has had a slot. */
  get hasBegun (): boolean { return this.#hasBegun }

  /** The urgency of the run: the lowest rank is the most urgent. */
  get rank (): number {
    const ahead = this.task.ahead(this.hasProcess)
    return ahead === Infinity ? Infinity : Math.floor(Math.min(Math.max(0, ahead), comfort) / step)
  }

  /** Whether the process had to end for another run. The run then enters again. */
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

  /** Records progress, and waits while other runs are more urgent. @throws the reason of the signal */
  async goOn (): Promise<void> {
    this.#signal!.throwIfAborted()
    this.#progress = elapsed()
    if (this.#state === 'running' && this.#schedule.mayGoOn(this)) return
    this.#change('held')
    await this.#wait()
  }

  /** Called at the end of the run. */
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
