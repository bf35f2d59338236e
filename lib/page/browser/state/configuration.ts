/** What the server tells the page. */
interface Configuration {
  readonly title: string
  /** URL of the source beside the page, relative to it. */
  readonly source: string
  readonly inspector: boolean
  readonly docs: boolean
  /** Whether it says where things are saved from. */
  readonly downloads: boolean
  /** Whether it tells how far the source is with reading its files. */
  readonly progress: boolean
  /** Whether accounts make app passwords. */
  readonly appPasswords: boolean
  /** Whether accounts connect services that are told what they listen to. */
  readonly services: boolean
  /** Whether the operator sees the state of several sources. */
  readonly sources: boolean
  /** Whether a browser gets a token of its own. */
  readonly signsIn: boolean
  /** URL of what joins tracks, relative to the page. */
  readonly joiner: string
  readonly version: string
}

const element = document.querySelector<HTMLMetaElement>('meta[name="source-page"]')!

export const configuration: Configuration = JSON.parse(element.content)

/** URL of the page without query and fragment; ends with a slash. */
export const pageUrl = new URL('.', location.origin + location.pathname).href
