import { ConnectionList } from '../parts/connection-list.tsx'
import { change } from '../state/account-lists.ts'
import { source } from '../state/saved-sources.ts'
import { askOwn } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'

/** Renders the scrobbling services, with forms to connect and disconnect them. */
export function Services () {
  const { data, again } = useLoad('services', signal => askOwn('GET services', {}, signal), true)
  const items = data?.items.filter(({ user, takesToken }) => user !== undefined || takesToken) ?? []
  if (items.length === 0) return null
  const run = async (call: () => Promise<{ success: boolean }>) => {
    const asked = source.value
    await change(call, text('saved'))
    if (asked === source.value) again()
  }
  return (
    <section class='card-form'>
      <h2>{text('services')}</h2>
      <p>{text('servicesAbout')}</p>
      <ConnectionList
        items={items}
        connect={(service, token) => { run(() => askOwn('POST services', { service, token })) }}
        disconnect={service => { run(() => askOwn('POST services/end', { service })) }}
      />
    </section>
  )
}
