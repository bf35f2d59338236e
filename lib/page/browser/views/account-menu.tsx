import type { UserProfile } from '../../../client/index.ts'
import { Cover } from '../parts/cover.tsx'
import { closeDialog, openMenu } from '../parts/dialog.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { showKeys } from '../parts/keys.ts'
import { configuration } from '../state/configuration.ts'
import { isOwn } from '../state/own.ts'
import { parked } from '../state/parked-accounts.ts'
import { go, hrefOf } from '../state/route.ts'
import { source, sources } from '../state/saved-sources.ts'
import { ask, can, canManage, hasAccount } from '../state/session.ts'
import { leaveAccount, signIn, signOutOfAll, switchTo } from '../state/sign-in.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { LanguageSwitch } from './sign-in.tsx'

/** Renders the account button, which opens the menu of everything except music. */
export function Avatar () {
  const { data } = useLoad<Partial<UserProfile>>(
    'profile', async signal => can('userProfile') ? ask(client => client.getUserMe(), signal) : {}
  )
  const name = String(data?.nickname || source.value.name)
  return (
    <button
      type='button' class='avatar' aria-label={`${text('account')}: ${name}`} title={name} aria-haspopup='dialog'
      onClick={() => openMenu(name, Menu)}
    >
      <Cover url={data?.avatar} name={name} size={36} round />
    </button>
  )
}

function Menu () {
  const item = (icon: IconName, name: string, run: () => void) => (
    <li key={name}>
      <button type='button' onClick={() => { closeDialog(); run() }}>
        <Icon name={icon} />
        <span dir='auto'>{name}</span>
      </button>
    </li>
  )
  const others = sources.value.filter(({ url }) => url !== source.value.url)
  return (
    <ul class='menu'>
      {others.map(({ url, name }) => item('album', name, () => { switchTo(url) }))}
      {item('sound', text('settings'), () => go(hrefOf('sources')))}
      {canManage() && item('person', text('household'), () => go(hrefOf('household')))}
      {configuration.inspector && item('inspect', text('sourceTab'), () => go(hrefOf('source')))}
      {item('list', text('keys'), showKeys)}
      <li><LanguageSwitch /></li>
      {hasAccount() && isOwn(source.value) && item('person', text('switchAccount'), () => { leaveAccount() })}
      {item('close', text('signOut'), () => { signIn('') })}
      {parked.value.length > 0 && item('close', text('signOutAll'), () => { signOutOfAll() })}
    </ul>
  )
}
