import { configuration, pageUrl } from './configuration.ts'

/** The audio graph of both elements, in which one can begin at the exact sample at which the other ends. */
export interface Chain {
  /** Delays the following sound of an element until the end of the other one, expected after `wait` seconds. */
  readonly hold: (element: HTMLAudioElement, wait: number) => void
  /** Drops sound of an element that is buffered but not played. */
  readonly drop: (element: HTMLAudioElement) => void
  /** Returns the delay in seconds between an element and its audible sound. */
  readonly lagOf: (element: HTMLAudioElement) => number
  /** @param gain the amplification, at least 1 */
  readonly boost: (element: HTMLAudioElement, gain: number) => void
  readonly close: () => void
}

/** The timeout in milliseconds until the chain runs. */
const timeout = 1000

/** A context that did not start in time. It may be used for a later track. */
let waking: AudioContext | undefined

/**
 * Builds the chain.
 *
 * @param onFail called when it stops running
 * @returns `undefined` if the sound takes too long to start; a later track may have a chain
 * @throws if the browser lacks a feature, or blocks it
 */
export async function buildChain (pair: readonly HTMLAudioElement[], onFail: () => void): Promise<Chain | undefined> {
  if (waking !== undefined && waking.state !== 'running') return undefined
  // Uninterrupted playback matters more than latency: on a busy machine there are fewer gaps.
  const context = waking ?? new AudioContext({ latencyHint: 'playback' })
  const close = () => {
    context.onstatechange = null
    // Closing a closed context throws.
    context.close().catch(() => {})
  }
  let timer
  try {
    // A context that may not run yet sends no event.
    const late = new Promise<undefined>(resolve => { timer = setTimeout(resolve, timeout) })
    const module = context.audioWorklet.addModule(new URL(configuration.joiner, pageUrl))
    const ready = Promise.all([context.resume(), module])
    if (await Promise.race([ready, late]) === undefined) {
      waking = context
      ready.catch(() => {})
      return undefined
    }
    waking = undefined
    const joiner = new AudioWorkletNode(context, 'joiner', {
      numberOfInputs: 2, outputChannelCount: [2], channelCount: 2, channelCountMode: 'explicit'
    })
    const lags = [0, 0]
    const reset = (input: number, wait?: number) => {
      lags[input] = 0
      joiner.port.postMessage({ input, wait })
    }
    joiner.port.onmessage = ({ data: { input, lag } }) => { lags[input] = lag }
    joiner.addEventListener('processorerror', onFail, { once: true })
    context.onstatechange = () => { if (context.state !== 'running') onFail() }
    const gains = pair.map(() => context.createGain())
    for (const [input, element] of pair.entries()) {
      // Audio that another origin does not share fails to load, instead of being silent.
      element.crossOrigin = 'anonymous'
      context.createMediaElementSource(element).connect(gains[input]!).connect(joiner, 0, input)
      for (const name of ['emptied', 'seeking']) element.addEventListener(name, () => reset(input))
    }
    joiner.connect(context.destination)
    return {
      hold: (element, wait) => reset(pair.indexOf(element), wait),
      drop: element => reset(pair.indexOf(element)),
      lagOf: element => lags[pair.indexOf(element)]!,
      boost: (element, gain) => { gains[pair.indexOf(element)]!.gain.value = gain },
      close
    }
  } catch (error) {
    waking = undefined
    close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}
