import { missingPackage } from './author-errors.ts'

/**
 * Imports a package that is optional.
 *
 * @param option that needs it
 * @throws SOURCE_ORIGIN_ERR_MISSING_PACKAGE when it is not installed
 */
export const importOptional = <M> (name: string, option: string): Promise<M> =>
  import(name).catch(() => { throw missingPackage(name, option) })
