import { missingPackage } from './author-errors.ts'

/**
 * Creates the `catch` handler of the import of an optional package. Bundlers ignore a missing package if import and
 * catch are one expression.
 *
 * @param option that needs it
 * @throws SOURCE_ORIGIN_ERR_MISSING_PACKAGE
 */
export const lacksPackage = (name: string, option: string) => (): never => { throw missingPackage(name, option) }
