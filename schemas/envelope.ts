import { Type } from '@sinclair/typebox'
import { named, Text, type Data, type Resource } from './common.ts'

export const ErrorResponseSchema = named('ErrorResponse', 'Every error, whatever its status', {
  code: Type.Integer({ description: 'The HTTP status, or the number that the source gives the error' }),
  message: Text('What went wrong, for people'),
  data: Type.Null({ description: 'Always null' })
})
export interface ErrorResponse extends Data<typeof ErrorResponseSchema>, Resource {}
