/** The claims of a provider about a person, for example `preferred_username` and `groups`. */
export interface Claims { readonly [name: string]: unknown }

/** Records the claims that a decision reads, so that a rejection names one. */
export function watchClaims (claims: Claims): { readonly claims: Claims, readonly reason: () => string } {
  const read: string[] = []
  return {
    claims: new Proxy(claims, {
      get (target, name) {
        if (typeof name === 'string') read.push(name)
        return Reflect.get(target, name) as unknown
      }
    }),
    reason () {
      const missing = read.find(name => claims[name] === undefined)
      if (missing !== undefined) return `Signing in needs the claim "${missing}", which the provider did not send`
      const last = read.at(-1)
      return last === undefined
        ? 'The person at the provider has no account here'
        : `The claim "${last}" of the provider does not allow signing in`
    }
  }
}
