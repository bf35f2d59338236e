/** The type of an adapter's return value: accepts readonly arrays at any depth. */
export type Answered<T> = T extends readonly (infer Item)[]
  ? readonly Answered<Item>[]
  : T extends object ? { [Name in keyof T]: Answered<T[Name]> } : T
