import { named, Flag, type Data, type Resource } from './common.ts'

export const MutationSuccessSchema = named('MutationSuccess', 'Outcome of a change', {
  success: Flag('false when the upstream refused the change')
})
export interface MutationSuccess extends Data<typeof MutationSuccessSchema>, Resource {}

export const MutationStatusSchema = named('MutationStatus', 'Outcome of a change of a favourite', {
  success: Flag('false when the upstream refused the change'),
  status: Flag('The state after the call: true = favourite')
})
export interface MutationStatus extends Data<typeof MutationStatusSchema>, Resource {}
