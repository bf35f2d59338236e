/** What an adapter may answer: a list that nobody may change is as good as another one, wherever it stands. */
export type Answered<T> = T extends readonly (infer Item)[]
  ? readonly Answered<Item>[]
  : T extends object ? { [Name in keyof T]: Answered<T[Name]> } : T
