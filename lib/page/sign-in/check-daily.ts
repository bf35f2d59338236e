import type { FastifyBaseLogger } from 'fastify'
import type { BindingRecord, Identities } from '../../accounts/index.ts'
import type { SourceError } from '../../contract/errors.ts'
import type { Oidc } from '../../oidc/index.ts'

const day = 24 * 3_600_000
/** The time in milliseconds until a failed check is repeated. */
const pause = 3_600_000

/**
 * Checks each account with a refresh token once a day, in the background when one of its tokens is used. While the
 * provider is down, the account stays as it is until the end of its lifetime.
 */
export function checkDaily (identities: Identities, oidc: Oidc, log: FastifyBaseLogger): void {
  async function check (binding: BindingRecord): Promise<void> {
    const refreshToken = identities.refreshTokenOf(binding)
    // Another replica or request checks it.
    if (!await identities.claimCheck(binding, Date.now() - day + pause) || refreshToken === undefined) return
    const { accountOf, lifetime } = oidc
    try {
      const { claims, refreshToken: next } = await oidc.refresh(refreshToken, binding)
      await identities.admit({ identity: binding, claims, accountOf, lifetime, refreshToken: next })
    } catch (error) {
      if ((error as SourceError).status === 403) await identities.reject(binding)
      throw error
    }
  }

  identities.onUse = binding => {
    if (binding.encrypted === undefined || Date.now() - binding.checkedAt < day) return
    check(binding).catch(({ message, cause }: Error) => {
      const { account } = binding
      log.warn({ account, reason: message, cause: (cause as Error | undefined)?.message }, 'account check failed')
    })
  }
}
