export { checkSource, type CheckOptions, type OperationOutcome, type Report } from './check-source.ts'
export type { Finding, OperationName } from './inspection.ts'
export { rules, type Level, type Rule, type RuleId } from './rules.ts'
export { createSourceClient, type SourceClient, type SourceClientOptions } from '../client/create-source-client.ts'
