import { useEffect } from 'preact/hooks'
import { configuration } from '../state/configuration.ts'
import { countOf, follow, loadScan, running, startScan } from '../state/scan.ts'
import { hasAccount } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { AppPasswords } from './app-passwords.tsx'
import { ProviderOfAccount } from './providers.tsx'
import { Services } from './services.tsx'
import { SourceStates } from './source-states.tsx'

/** Settings of the source beside the page only. */
export const OwnSource = () => (
  <>
    {configuration.appPasswords && <AppPasswords />}
    {configuration.provider !== undefined && hasAccount() && <ProviderOfAccount />}
    {configuration.sources && <SourceStates />}
    {configuration.services && hasAccount() && <Services />}
    <Scan />
  </>
)

/** Renders a button that starts a scan for new files. Nothing is shown if the request for the scan's status fails. */
export function Scan () {
  const { data } = useLoad('scan', loadScan, true)
  const isRunning = data?.scanning === true
  useEffect(() => { if (isRunning && running.value === undefined) follow(async () => data) }, [isRunning])
  if (data?.scanning === undefined) return null
  const now = running.value
  return (
    <section class='card-form'>
      <h2>{text('scan')}</h2>
      <button type='button' class='button' disabled={now !== undefined} onClick={() => { startScan() }}>
        {text('scanStart')}
      </button>
      <p role='status'>{now !== undefined && text('scanSoFar', countOf(now))}</p>
    </section>
  )
}
