import type { FastifyInstance } from 'fastify'
import { SourceError } from 'fastify-source-origin'
import type { AccountOf } from 'fastify-source-origin/accounts'
import { createOidc } from 'fastify-source-origin/oidc'
import type { PageSignIn } from 'fastify-source-origin/page'
import { originOf } from '../start/addresses.ts'
import { proxiesOf, type Settings } from '../start/settings.ts'
import type { StartError } from '../start/start-error.ts'
import type { State } from '../state/state.ts'
import { nameOfNew } from './account-name.ts'
import { owner } from './owner.ts'

const rejected = (message: string) => new SourceError(403, message)

/** Returns a function that finds the account of a person. @param nameClaim the claim with the name of a new account */
function accountFinder (settings: Settings, state: State, nameClaim: string, hasGroups: boolean): AccountOf {
  const { OIDC_GROUPS_CLAIM, OIDC_GROUP, OIDC_OWNER_GROUP, OIDC_NEW_ACCOUNTS } = settings
  return async ({ claims, account, bind }) => {
    const isIn = (group: string) => {
      const groups = claims[OIDC_GROUPS_CLAIM]
      return Array.isArray(groups) && groups.includes(group)
    }
    if (hasGroups && OIDC_OWNER_GROUP !== '' && (account ?? owner) === owner) {
      if (isIn(OIDC_OWNER_GROUP)) return bind(owner, { existing: true })
      if (account === owner) return null
    }
    if (hasGroups && OIDC_GROUP !== '' && !isIn(OIDC_GROUP)) return null
    if (account !== undefined) return account
    if (OIDC_NEW_ACCOUNTS !== 'true') {
      throw rejected('You have no account here: open a link from the owner, and connect it under Sources')
    }
    const known = await state.accounts()
    const name = nameFor(known, String(claims[nameClaim] ?? ''))
    if (known.includes(name)) throw rejected(`There is already an account ${name}: sign in to it and connect it`)
    await bind(name)
    await state.addAccount(name)
    return name
  }
}

function nameFor (known: readonly string[], given: string): string {
  try {
    return nameOfNew(known, given)
  } catch (error) {
    throw rejected((error as StartError).message)
  }
}

/** Returns the sign-in of the page by the settings, and logs the redirect URI to register at the provider. */
export function pageSignIn (app: FastifyInstance, settings: Settings, state: State): PageSignIn {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_LABEL, OIDC_SCOPE } = settings
  const { PROXY_USER_HEADER, PROXY_USER_SECRET } = settings
  if (OIDC_ISSUER !== '') {
    app.addHook('onListen', async () => {
      app.log.info({ redirectUri: `${originOf(settings, app)}/page/sign-in/callback` }, 'provider configured')
    })
  }
  const colon = PROXY_USER_SECRET.indexOf(':')
  return {
    label: OIDC_LABEL,
    ...OIDC_ISSUER !== '' && {
      oidc: createOidc({
        issuer: OIDC_ISSUER,
        clientId: OIDC_CLIENT_ID,
        ...OIDC_CLIENT_SECRET !== '' && { clientSecret: OIDC_CLIENT_SECRET },
        scope: OIDC_SCOPE,
        accountOf: accountFinder(settings, state, 'preferred_username', true)
      })
    },
    ...PROXY_USER_HEADER !== '' && {
      header: {
        name: PROXY_USER_HEADER,
        from: proxiesOf(settings),
        accountOf: accountFinder(settings, state, 'sub', false),
        ...PROXY_USER_SECRET !== '' && {
          secret: { name: PROXY_USER_SECRET.slice(0, colon), value: PROXY_USER_SECRET.slice(colon + 1).trim() }
        }
      }
    }
  }
}
