import { longestRun } from '../../longest-run.ts'
import type { OwnAnswers } from '../../page-responses.ts'
import { bytes, text } from '../texts/index.ts'
import { explain } from './explain.ts'
import { reloads } from './history-entries.ts'
import { say } from './notices.ts'
import type { OwnInput } from './own.ts'
import { source } from './saved-sources.ts'
import { askOwn } from './session.ts'

type Input = OwnInput<'POST household/run'>

/** Calls an operation. After an error, shows a message and returns `undefined`. */
export const asking = <T>(call: () => Promise<T>): Promise<T | undefined> => call().catch(error => {
  say(explain(error), true)
  return undefined
})

/** Milliseconds until the browser has begun to save a file. */
const savedWithin = 60_000

function save ({ name, text }: { readonly name: string, readonly text: string }): void {
  const href = URL.createObjectURL(new Blob([text]))
  Object.assign(document.createElement('a'), { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), savedWithin)
}

/**
 * Runs a household operation. A file result is downloaded, and after a change all views reload.
 *
 * @returns the result; `undefined` after an error, which is shown, or if another source is current
 */
export async function run (
  operation: NonNullable<Input['operation']>, values: readonly string[] = [],
  more: Pick<Input, 'input' | 'confirm'> = {}
): Promise<OwnAnswers['POST household/run'] | undefined> {
  const asked = source.value
  const input = { operation, values, ...more }
  // Otherwise the server would close the connection before the browser has read the response.
  if (new Blob([JSON.stringify(input)]).size > longestRun) {
    say(text('fileTooLarge', { most: bytes(longestRun) }), true)
    return undefined
  }
  const done = await asking(() => askOwn('POST household/run', input))
  if (done === undefined || asked !== source.value) return undefined
  if (done.file === undefined) reloads.value++
  else save(done.file)
  return done
}
