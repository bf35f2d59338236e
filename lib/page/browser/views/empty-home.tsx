import { Empty } from '../parts/small.tsx'
import { askOwn, canSeeFiles } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { Scan } from './own-source.tsx'

/** Renders the message of an empty Home. Accounts that may see files see the empty folder, and the skipped files. */
export function EmptyHome () {
  const { data = {} } = useLoad('files', async signal => canSeeFiles() ? askOwn('GET files', undefined, signal) : {})
  const { folder, leftOut = [] }: { folder?: string, leftOut?: readonly string[] } = data
  if (folder === undefined) return <Empty>{text('homeEmpty')}</Empty>
  return (
    <>
      <Empty>{text('noMusic', { folder })}</Empty>
      <Scan />
      {leftOut.length > 0 && (
        <section class='card-form'>
          <h2>{text('leftOut')}</h2>
          <ul class='left-out'>{leftOut.map(reason => <li key={reason} dir='auto'>{reason}</li>)}</ul>
        </section>
      )}
    </>
  )
}
