// Runs in the AudioWorklet of the page: plays its two inputs together. One of them can be held: from its first sound on
// it waits for the end of the other one, so that not a sample is between two tracks.

declare const sampleRate: number
declare const currentFrame: number
declare class AudioWorkletProcessor { readonly port: MessagePort }
declare function registerProcessor (name: string, of: new () => AudioWorkletProcessor): void

/** Frames of an input that have to be silent at once to be its end. */
const silence = 16
/** Seconds that an element may be further than it says. */
const tolerance = 0.05
/** Frames that come and go at once. */
const block = 128

/** The frames of an input that were not played yet, in a ring of one second. */
class Line {
  readonly channels = [new Float32Array(sampleRate), new Float32Array(sampleRate)] as const
  held = false
  /** Frame of the context before which the other one is not over: what is silent before is only late. */
  earliest = 0
  written = 0
  read = 0
  /** How many of the last written ones are silent. */
  silent = 0

  constructor () { this.reset() }

  /**
   * What was not played yet is dropped.
   *
   * @param wait seconds until the other one ends; not there = it does not wait for that
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
  /** Whether nothing but silence is left. */
  get isOver () { return !this.held && this.waiting <= this.silent }
  /** Whether it can go on without a gap once it has begun. */
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
      // Both before either is read: the one that begins must not see that the other one has just played its last frame.
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
