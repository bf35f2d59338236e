import { configuration, pageUrl } from './configuration.ts'

/** What both elements play through, so that one can begin at the very sample at which the other one ends. */
export interface Chain {
  /** What an element plays from now on is heard after the end of the other one, which comes in as many seconds. */
  readonly hold: (element: HTMLAudioElement, wait: number) => void
  /** What an element has played and is not heard yet is dropped. */
  readonly drop: (element: HTMLAudioElement) => void
  /** Seconds that an element is heard later than it plays. */
  readonly lagOf: (element: HTMLAudioElement) => number
  /** @param gain 1 or more */
  readonly boost: (element: HTMLAudioElement, gain: number) => void
  readonly close: () => void
}

/** Milliseconds within which it has to run. */
const timeout = 1000

/** A context that did not run in time: it may for a later track. */
let waking: AudioContext | undefined

/**
 * @param onFail called when it does not run any more
 * @returns nothing where the sound takes too long to wake: a later track may have a chain
 * @throws what the browser does not have, or does not allow
 */
export async function buildChain (pair: readonly HTMLAudioElement[], onFail: () => void): Promise<Chain | undefined> {
  if (waking !== undefined && waking.state !== 'running') return undefined
  // What is heard matters more here than how soon: a busy machine leaves fewer gaps then.
  const context = waking ?? new AudioContext({ latencyHint: 'playback' })
  const close = () => {
    context.onstatechange = null
    // What is closed already throws.
    context.close().catch(() => {})
  }
  let timer
  try {
    // A context that may not run yet says nothing.
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
      // What another origin does not allow fails with it, instead of being silent.
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
