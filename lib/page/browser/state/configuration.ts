/** The configuration from the server. */
interface Configuration {
  readonly title: string
  /** The URL of the source beside the page, relative to the page. */
  readonly source: string
  readonly inspector: boolean
  readonly docs: boolean
  /** Whether the source has download URLs. */
  readonly downloads: boolean
  /** Whether the source reports the progress of reading its files. */
  readonly progress: boolean
  /** Whether accounts can create app passwords. */
  readonly appPasswords: boolean
  /** Whether accounts can connect scrobbling services. */
  readonly services: boolean
  /** Whether the operator sees the state of several sources. */
  readonly sources: boolean
  /** Whether each browser receives a separate token. */
  readonly signsIn: boolean
  /** The name of the provider of OpenID Connect. */
  readonly provider?: string
  /** Whether a proxy signs users in. */
  readonly header?: boolean
  /** The URL that ends the session at the proxy. */
  readonly signOutUrl?: string
  /** The URL of the AudioWorklet module that joins tracks, relative to the page. */
  readonly joiner: string
  readonly version: string
}

const element = document.querySelector<HTMLMetaElement>('meta[name="source-page"]')!

export const configuration: Configuration = JSON.parse(element.content)

/** Whether users sign in with a provider or a proxy. */
export const hasProvider = 'provider' in configuration || 'header' in configuration

/** The URL of the page without query and fragment. It ends with a slash. */
export const pageUrl = new URL('.', location.origin + location.pathname).href
