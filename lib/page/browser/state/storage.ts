const prefix = 'source-page:'

/** What this browser keeps under a name; the fallback when it has nothing that can be read. */
export function recall<T> (name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(prefix + name)
    return text === null ? fallback : JSON.parse(text) as T
  } catch {
    return fallback
  }
}

export function forget (name: string): void {
  try {
    localStorage.removeItem(prefix + name)
  } catch {}
}

/** Keeps a value in this browser. A browser that keeps nothing, or has no room, does without. */
export function keep (name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {}
}
