import { askFirst, showResult } from '../parts/ask-first.tsx'
import { Trouble } from '../parts/small.tsx'
import { run } from '../state/run-household.ts'
import { askOwn } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { bytes, exactly, moment, text } from '../texts/index.ts'
import { Backups } from './backups.tsx'

type Fact = readonly [name: string, value: string]

const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class='keys about'>
    {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
  </dl>
)

const askToForget = (): void => askFirst({
  title: text('forgetMissing'),
  about: text('forgetMissingSure'),
  button: text('forgetNow'),
  async run () {
    const done = await run('forget-missing')
    if (done !== undefined) showResult(text('forgetMissing'), done.message)
  }
})

/** Renders the storage, the backups, the last scan and the errors of a server. */
export function ServerState () {
  const { data, error, retry } = useLoad('server', signal => askOwn('GET household/server', {}, signal), true)
  if (data === undefined) return error === '' ? null : <Trouble message={error} again={retry} />
  const { stored, free, backups, scan, leftOut, errors } = data
  return (
    <>
      <section class='card-form'>
        <h2>{text('storage')}</h2>
        <Facts
          facts={[
            [text('storedIndex'), bytes(stored.index)],
            [text('storedAccounts'), bytes(stored.accounts)],
            [text('storedCovers'), bytes(stored.covers)],
            [text('storedTranscoded'), bytes(stored.transcoded)],
            [text('storedRemoved'), bytes(stored.removed)],
            [text('storedOther'), bytes(stored.other)],
            ...free === undefined ? [] : [[text('storedFree'), bytes(free)] as const]
          ]}
        />
      </section>
      <Backups names={backups} />
      <section class='form card-form'>
        <h2>{text('scanLast')}</h2>
        {scan !== undefined && (
          <>
            {scan.failed && <p class='wrong'>{text('scanFailed')}</p>}
            <Facts
              facts={[
                [text('scanEnded'), moment(scan.endedAt)],
                [text('tracks'), exactly(scan.tracks)],
                [text('scanRead'), exactly(scan.read)],
                [text('scanGone'), exactly(scan.gone)]
              ]}
            />
          </>
        )}
        <details>
          <summary>{text('leftOut')}: {exactly(leftOut.length)}</summary>
          <ul class='left-out'>{leftOut.map(reason => <li key={reason} dir='auto'>{reason}</li>)}</ul>
        </details>
        <button type='button' class='button' onClick={askToForget}>{text('forgetMissing')}</button>
      </section>
      <section class='card-form'>
        <h2>{text('errorsToday')}: {exactly(errors.count)}</h2>
        <ul class='left-out'>
          {errors.last.map(({ at, text }, index) => <li key={index}>{moment(at)} <span dir='auto'>{text}</span></li>)}
        </ul>
      </section>
    </>
  )
}
