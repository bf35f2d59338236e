import type { Listen, Listened } from '../state/listens.ts'

/** Why a service did not take something. */
export class ServiceError extends Error {
  /** `later` may work then, `login` when the account or the settings were put right, `refused` never. */
  readonly kind: 'later' | 'login' | 'refused'
  /** Milliseconds that it asks to wait. */
  readonly wait: number

  constructor (kind: ServiceError['kind'], message: string, wait = 0) {
    super(message)
    this.kind = kind
    this.wait = wait
  }
}

/** A service that is told what accounts listen to. Its methods throw a ServiceError, or one of `createUpstream`. */
export interface Service {
  /** As people read it. */
  readonly title: string
  /** Listens that it takes at a time. */
  readonly most: number
  /** @returns the name of the user whose secret it is */
  check (secret: string): Promise<string>
  nowPlaying (secret: string, listened: Listened): Promise<void>
  /**
   * Tells listens. The same ones told again are one for it.
   *
   * @returns milliseconds to wait before the next call, and those that it wants to be told later
   */
  tell (secret: string, listens: readonly Listen[]): Promise<{ wait: number, later: readonly Listen[] }>
  close (): Promise<void>
}

/** Services by the names that commands have for them. */
export type Services = ReadonlyMap<string, Service>
