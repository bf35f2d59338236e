import { missingPackage } from './author-errors.ts'

/**
 * For the `catch` of the import of an optional package: bundlers leave one alone that is not installed where they see
 * both in one expression.
 *
 * @param option that needs it
 * @throws SOURCE_ORIGIN_ERR_MISSING_PACKAGE
 */
export const lacksPackage = (name: string, option: string) => (): never => { throw missingPackage(name, option) }
