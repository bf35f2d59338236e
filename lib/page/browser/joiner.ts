// Runs in the AudioWorklet of the page and mixes its two inputs. One input can be held: its sound then waits for the
// end of the other input, so that tracks follow each other without a gap of even one sample.

declare const sampleRate: number
declare const currentFrame: number
declare class AudioWorkletProcessor { readonly port: MessagePort }
declare function registerProcessor (name: string, of: new () => AudioWorkletProcessor): void

/** The number of consecutive silent frames that mark the end of an input. */
const silence = 16
/** The tolerance in seconds of an element's reported position. */
const tolerance = 0.05
/** The number of frames in one processing block. */
const block = 128

/** The unplayed frames of an input, in a ring buffer of one second. */
class Line {
  readonly channels = [new Float32Array(sampleRate), new Float32Array(sampleRate)] as const
  held = false
  /** The frame of the context before which the other input cannot end. Silence before it is only a delay. */
  earliest = 0
  written = 0
  read = 0
  /** The number of silent frames at the end of the buffer. */
  silent = 0

  constructor () { this.reset() }

  /**
   * Drops unplayed frames.
   *
   * @param wait seconds until the other input ends; absent = do not wait
   */
  reset (wait?: number): void {
    this.held = wait !== undefined
    this.earliest = currentFrame + ((wait ?? 0) - tolerance) * sampleRate
    for (const channel of this.channels) channel.fill(0)
    this.read = 0
    this.written = this.silent = this.held ? 0 : silence
  }

  write ([left, right = left]: readonly Float32Array[]): void {
    for (let at = 0; at < block; at++) {
      const frame = [left?.[at] ?? 0, right?.[at] ?? 0] as const
      const isSilent = frame[0] === 0 && frame[1] === 0
      if (this.held && this.written === 0 && isSilent) continue
      this.silent = isSilent ? this.silent + 1 : 0
      this.channels[0][this.written % sampleRate] = frame[0]
      this.channels[1][this.written % sampleRate] = frame[1]
      this.written++
    }
  }

  get waiting () { return this.written - this.read }
  /** Whether only silence is left. */
  get isOver () { return !this.held && this.waiting <= this.silent }
  /** Whether it has enough frames to play without a gap once it has begun. */
  get isReady () { return this.waiting >= silence + block }
  get isFull () { return this.waiting > sampleRate - block }
}

registerProcessor('joiner', class extends AudioWorkletProcessor {
  readonly lines = [new Line(), new Line()] as const

  constructor () {
    super()
    this.port.onmessage = ({ data: { input, wait } }: { data: { input: 0 | 1, wait?: number } }) =>
      this.lines[input].reset(wait)
  }

  process (inputs: readonly Float32Array[][], [[left, right]]: readonly [readonly [Float32Array, Float32Array]]) {
    for (const input of [0, 1] as const) this.lines[input].write(inputs[input]!)
    for (let at = 0; at < block; at++) {
      // Both are read before either is played: the starting input must not see that the other one has just played its
      // last frame.
      for (const input of [0, 1] as const) {
        const line = this.lines[input]
        const isNext = line.isReady && currentFrame >= line.earliest && this.lines[1 - input]!.isOver
        if (line.held && (isNext || line.isFull)) {
          line.held = false
          this.port.postMessage({ input, lag: line.waiting / sampleRate })
        }
      }
      for (const line of this.lines) {
        if (line.held) continue
        const place = line.read++ % sampleRate
        left[at]! += line.channels[0][place]!
        right[at]! += line.channels[1][place]!
      }
    }
    return true
  }
})
